import pg from 'pg';

/** Indexes that no plan has at this size, and why they stay. */
const KEPT: Readonly<Record<string, string>> = Object.fromEntries([
  // For keywords that are rare: only a plan for the keyword itself takes it.
  ...[
    'course.course',
    'course.course_group',
    'course.jihua',
    'course.lianxi',
    'clazz.member',
    'package.course_package',
  ].map((table) => [`${table}_search`, 'keyword']),
  // The index of an exclusion constraint has these columns, too, and is estimated alike.
  ...['enrolment_period_student', 'staff_period_clazz', 'staff_period_teacher'].map((it) => [
    `clazz.${it}`,
    'constraint',
  ]),
  // As estimates are, one of two indexes that fit is taken.
  ['clazz.make_up_student', 'make_up_guest fits as well while there are few'],
  [
    'clazz.clazz_audit_log_clazzes',
    'only for who is not bound to an organization: row-level security keeps others from it',
  ],
]);

export const isKept = (name: string): boolean => name in KEPT;

/** Indexes of these tables that hold nothing together: neither keys nor constraints, unique ones neither. */
export const indexesOf = async (url: string, tables: ReadonlySet<string>): Promise<string[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select n.nspname || '.' || c.relname as name
       from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
       where i.indrelid = any ($1::regclass[]) and not i.indisunique
         and not exists (select from pg_constraint k where k.conindid = i.indexrelid) order by 1`,
      [[...tables]],
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
};
