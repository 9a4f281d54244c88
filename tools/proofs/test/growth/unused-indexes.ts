import pg from 'pg';

/** Indexes that no plan uses at this size, and why they stay. */
const EXPECTED_UNUSED: Readonly<Record<string, string>> = Object.fromEntries([
  // Only the plan for a rare keyword uses these indexes, not the generic plan.
  ...[
    'course.course',
    'course.course_group',
    'course.jihua',
    'course.lianxi',
    'clazz.member',
    'package.course_package',
  ].map((table) => [`${table}_search`, 'keyword']),
  // The index of an exclusion constraint has the same columns and the same cost estimate.
  ...['enrolment_period_student', 'staff_period_clazz', 'staff_period_teacher'].map((name) => [
    `clazz.${name}`,
    'constraint',
  ]),
  // The planner picks one of two suitable indexes by its estimates.
  ['clazz.make_up_student', 'make_up_guest is equally suitable while there are few rows'],
  ['clazz.make_up_ended', 'only deleting a lesson and instances of 0.2.0 use it'],
  ['clazz.clazz_audit_log_clazzes', 'only usable by roles without row-level security'],
]);

export const isExpectedUnused = (name: string): boolean => name in EXPECTED_UNUSED;

/** Indexes of these tables that enforce nothing: no keys, constraints or unique indexes. */
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
