import { describe, expect, it } from 'vitest';
import {
  repeatableStatement,
  batchedUpdate,
  concurrentIndex,
  migration,
  type MigrationEntry,
  stepwise,
  tenantTable,
  ROW_RANGE,
} from '../../../libs/kit/src/index.ts';
import { commonMigrations } from '../../../libs/kit/src/db/schema.ts';
import { app as clazz } from '../../../services/clazz/src/app.ts';
import { app as course } from '../../../services/course/src/app.ts';
import { app as packages } from '../../../services/package/src/app.ts';
import { app as stats } from '../../../services/stats/src/app.ts';
import { findingsIn } from './lint.ts';

/**
 * The last migration of each list that is not checked. Earlier ones were written before this rule. An upgrade from release 0.1.0
 * applies them while everything is stopped, as 100_numbered_log requires.
 */
const WRITTEN_BEFORE = {
  machinery: '000_machinery_turns',
  clazz: '126_refusals',
  course: '108_struck_in_own_org',
  package: '102_price_without_currency',
  stats: '102_hours_of_organizations',
};
/** Reviewed statements, `<migration>: <statement>`, and why they are allowed. */
const LOOKED_AT: Readonly<Record<string, string>> = {
  '127_organizations_end: create index organization_end_changed on organization_end (changed)':
    'deleted organizations are few',
  "142_undone_grants: alter table hour_entry drop constraint hour_entry_check2, add constraint hour_entry_lesson check (kind = '' or (lesson_id is not null) = (kind = '')) not valid":
    'the new check permits everything that the old one permitted',
};

const ALL: Readonly<Record<keyof typeof WRITTEN_BEFORE, readonly MigrationEntry[]>> = {
  machinery: commonMigrations('clazz'),
  clazz: clazz.migrations,
  course: course.migrations,
  package: packages.migrations,
  stats: stats.migrations,
};

describe.each(Object.entries(ALL))('The migrations of %s', (which, migrations) => {
  const before = Object.entries(WRITTEN_BEFORE).find(([name]) => name === which)?.[1];
  const at = migrations.findIndex(({ name }) => name === before);

  it('block no writes', () => {
    expect(at, `${before} is in the list`).toBeGreaterThanOrEqual(0);
    const found = migrations.slice(at + 1).flatMap(findingsIn);
    const open = found.filter(({ migration: name, statement }) => !(`${name}: ${statement}` in LOOKED_AT));
    expect(open).toEqual([]);
  });
});

const whyOf = (sql: string): string[] =>
  findingsIn(migration('900_one', sql)).map(({ why }) => why.split(':')[0] ?? '');

describe('The lint of migrations', () => {
  it.each([
    ['create index a on lesson (b)', 'closes the table to writers while it is made'],
    ['create unique index a on clazz.lesson (b)', 'closes the table to writers while it is made'],
    ['alter table lesson add column a uuid not null default gen_random_uuid()', 'writes every row anew'],
    ['alter table lesson add a int, add b int not null generated always as (1) stored', 'writes every row anew'],
    ['alter table lesson add column a int references b', 'reads or writes every row'],
    ['alter table lesson alter column a type bigint', 'may write every row anew'],
    ['alter table lesson alter a set data type bigint', 'may write every row anew'],
    ['alter table lesson add check (a > 0)', 'reads every row'],
    ['alter table lesson add constraint a foreign key (b) references c', 'reads every row'],
    ['alter table lesson add constraint a unique (b)', 'closes the table while its index is made'],
    ['alter table lesson alter a set not null', 'reads every row, unless a validated check says the same'],
    [
      'alter table lesson add constraint a exclude using gist (b with =)',
      'closes the table while its index is made, and cannot be made otherwise',
    ],
    ['update lesson set a = 1', 'changes all rows in one transaction'],
    ['delete from lesson where a', 'changes all rows in one transaction'],
    ['insert into other (a, b) select a, b from lesson', 'writes as many rows as there are in one transaction'],
    ['vacuum full lesson', 'closes the table'],
    ['cluster lesson using a', 'closes the table'],
    ['lock table lesson', 'closes the table'],
    ['alter table lesson set unlogged', 'writes every row anew'],
    ['alter table lesson drop column a', 'code from before may still use it'],
    ['alter table lesson rename a to b', 'code from before may still use it'],
    ['drop table lesson', 'code from before may still use it'],
  ])('finds: %s', (sql, why) => {
    expect(whyOf(`-- said: update lesson set a = 1;\n${sql}; create table t (a int)`)).toContain(why);
  });

  it.each([
    "alter table course_package add column subtitle text not null default ''",
    'alter table lesson add column at timestamptz(3) not null default now()',
    'alter table lesson add constraint a check (b > 0) not valid',
    'alter table lesson add constraint a unique using index b',
    'create table a (b int); create index c on a (b); insert into a select 1; alter table a add check (b > 0)',
    tenantTable('clazz', 'refusal'),
    'create function a() returns void language sql as $$ update lesson set a = 1 $$',
    `insert into policy (a) values ('update lesson set a = 1; drop table x')`,
    'alter table lesson set (fillfactor = 70)',
    'grant select on lesson to clazz_app',
  ])('accepts: %s', (sql) => {
    expect(whyOf(sql)).toEqual([]);
  });

  it('accepts steps, and everything in an _alone migration; refuses a statement that cannot be repeated', () => {
    const steps = stepwise(
      '901_steps',
      concurrentIndex('a', 'on lesson (b)', 'unique index'),
      batchedUpdate('lesson', `update lesson set a = 1 where a is null and ${ROW_RANGE}`),
      batchedUpdate('lesson', `insert into b (id) select id from lesson where ${ROW_RANGE} on conflict do nothing`),
      repeatableStatement('alter table lesson validate constraint a'),
      repeatableStatement('drop index concurrently if exists b'),
      repeatableStatement('analyze lesson'),
    );
    expect(findingsIn(steps)).toEqual([]);
    expect(findingsIn(migration('902_alone', 'alter table lesson alter a type bigint'))).toEqual([]);
    const wrong = stepwise('903_wrong', repeatableStatement('alter table lesson alter a type bigint'));
    expect(findingsIn(wrong)).toHaveLength(1);
  });
});
