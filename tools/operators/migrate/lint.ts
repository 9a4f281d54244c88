import type { MigrationEntry } from '../../../libs/kit/src/db/migration.ts';

/** A statement that would block writes to a large table, or break older code, and the alternative. */
export interface Finding {
  migration: string;
  statement: string;
  why: string;
}

/** Removes comments, texts and bodies of functions, which take no locks. */
const bare = (sql: string): string =>
  sql
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replace(/--[^\n]*/g, ' ')
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/\s+/g, ' ')
    .toLowerCase();

const statementsOf = (sql: string): string[] =>
  bare(sql)
    .split(';')
    .map((one) => one.trim())
    .filter(Boolean);

const NAME = String.raw`(?:only )?(?:[\w"]+\.)?"?(\w+)"?`;
/** The table that a statement concerns, if it is one of these forms. */
const ABOUT = [
  new RegExp(`^alter table (?:if exists )?${NAME}`),
  new RegExp(`^create (?:unique )?index (?:concurrently )?(?:if not exists )?(?:\\w+ )?on ${NAME}`),
  new RegExp(`^(?:update|delete from|insert into|truncate(?: table)?) ${NAME}`),
  new RegExp(`^(?:vacuum|cluster|reindex)\\b`),
];

/** Expressions that are computed for each row while the table is locked. */
const VOLATILE = /\bdefault [^,]*\b(gen_random_uuid|uuidv7|random|clock_timestamp|nextval|timeofday)\b/;

const RULES: readonly (readonly [RegExp | ((text: string) => boolean), string])[] = [
  [/^create (unique )?index (?!concurrently)/, 'closes the table to writers while it is made: concurrentIndex(…)'],
  [
    (text) => /\badd (column )?/.test(text) && VOLATILE.test(text),
    'writes every row anew: add it without a default, then batchedUpdate(…)',
  ],
  [
    /\badd (column )?[^,]*\bgenerated always as (?!identity)[^,]*\bstored\b/,
    'writes every row anew: a column that code fills, then batchedUpdate(…)',
  ],
  [
    /\badd (column )?[^,]*\b(identity|serial|bigserial|unique|primary key|references)\b(?!.*\b(not valid|using index)\b)/,
    'reads or writes every row: constraints by themselves, not valid, and keys by concurrentIndex(…)',
  ],
  [/\balter (column )?\w+ (set data )?type\b/, 'may write every row anew: a new column beside it'],
  [
    (text) => /\badd (constraint \w+ )?(check|foreign key)\b/.test(text) && !text.includes('not valid'),
    'reads every row: add it not valid, then repeatableStatement(validate constraint)',
  ],
  [
    (text) => /\badd (constraint \w+ )?(unique|primary key)\b/.test(text) && !text.includes('using index'),
    'closes the table while its index is made: concurrentIndex(…) first, then add it using index',
  ],
  [
    /\badd (constraint \w+ )?exclude\b/,
    'closes the table while its index is made, and cannot be made otherwise: a release that stops (_alone)',
  ],
  [/\bset not null\b/, 'reads every row, unless a validated check says the same: name it as looked at'],
  [/\bset (logged|unlogged|tablespace|access method)\b/, 'writes every row anew'],
  [/^(vacuum|cluster|reindex(?! \(?concurrently))/, 'closes the table'],
  [/^(update|delete from)\b/, 'changes all rows in one transaction: batchedUpdate(…)'],
  [
    /^insert into \S+ (\([^)]*\) )?(with\b.*)?\bselect\b/,
    'writes as many rows as there are in one transaction: batchedUpdate(…)',
  ],
  [
    /\b(drop column|drop constraint|rename|drop not null)\b|^drop (table|view|function)\b/,
    'code from before may still use it: name the release that no longer does',
  ],
  [/\b(disable|enable) trigger\b|^lock\b/, 'closes the table'],
];

const aboutTable = (text: string): string | undefined => ABOUT.map((one) => one.exec(text)?.[1]).find(Boolean);

const inTransaction = (name: string, sql: string): Finding[] => {
  const made = new Set<string>();
  return statementsOf(sql).flatMap((statement) => {
    const created = new RegExp(`^create (?:temporary )?table (?:if not exists )?${NAME}`).exec(statement)?.[1];
    if (created !== undefined) made.add(created);
    // A table that this migration creates is empty and unused.
    if (made.has(aboutTable(statement) ?? '')) return [];
    return RULES.filter(([rule]) => (typeof rule === 'function' ? rule(statement) : rule.test(statement))).map(
      ([, why]) => ({ migration: name, statement, why }),
    );
  });
};

/** Statements that may run alone and again. */
const STEPS = [
  /^create (unique )?index concurrently /,
  /^drop index concurrently if exists /,
  /^alter table \S+ validate constraint \S+$/,
  /^(update|delete from) .*ctid >= \$1::tid and ctid < \$2::tid/,
  /^insert into .*ctid >= \$1::tid and ctid < \$2::tid.* on conflict do nothing$/,
  /^analyze /,
];

const inSteps = (name: string, sql: string): Finding[] =>
  statementsOf(sql)
    .filter((statement) => !STEPS.some((one) => one.test(statement)))
    .map((statement) => ({ migration: name, statement, why: 'is no step that can be interrupted and repeated' }));

/** The statements that prevent applying a migration while instances of the previous release serve large tables. */
export const findingsIn = (entry: MigrationEntry): Finding[] => {
  // No instance runs that could be blocked.
  if (entry.name.endsWith('_alone')) return [];
  return 'steps' in entry
    ? entry.steps.flatMap(({ sql }) => inSteps(entry.name, sql))
    : inTransaction(entry.name, entry.sql);
};
