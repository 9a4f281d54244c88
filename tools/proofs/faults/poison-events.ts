import { textAt } from '../system/plain-api.ts';
import { poll } from '../system/poll.ts';
import type { System } from '../system/start-system.ts';

/** The tables of the statistics that tell of students, whatever they are called. */
export const tablesOfStudents = async (system: System): Promise<string[]> => {
  const rows = await system.statsPostgres.sql<{ name: string }>(`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'stats' and c.relkind in ('r', 'p') and not c.relispartition and 2 = (select count(*)
      from pg_attribute a where a.attrelid = c.oid and a.attname in ('org_id', 'student_id') and not a.attisdropped)`);
  if (rows.length === 0) throw new Error('no table of the statistics tells of students');
  return rows.map(({ name }) => name);
};

/**
 * Makes the statistics fail at every row of one org's students with such a name, by a trigger. `act` is what
 * it does.
 */
export const poison = async (system: System, org: string, students: string, act: string): Promise<void> => {
  const { sql } = system.statsPostgres;
  await sql(`create or replace function stats.poisoned() returns trigger language plpgsql as
    $$ begin ${act}; return new; end $$`);
  await sql(`grant execute on function stats.poisoned() to public`);
  for (const name of await tablesOfStudents(system)) {
    await sql(`create trigger poisoned before insert or update on ${name} for each row
      when (new.org_id = '${org}' and new.student_id like '${students}') execute function stats.poisoned()`);
  }
};

export const cure = async (system: System): Promise<void> => {
  await system.statsPostgres.sql('drop function if exists stats.poisoned() cascade');
};

/** Gives hours; answers the token to read with. */
export const grant = async (system: System, org: string, student_id: string, hours = '2.00'): Promise<void> => {
  const body = { student_id, hours };
  const given = async () => {
    const { status } = await system.api({ method: 'POST', path: '/clazz/hour/grant', org, body });
    return status === 201 || undefined;
  };
  if ((await poll(given, 60_000, 200)) === undefined) throw new Error('hours cannot be granted');
};

export const grantedTo = async (system: System, org: string, student: string): Promise<string> => {
  const { body } = await system.api({ path: `/clazz/stats/my-lessons?student_id=${student}`, org });
  return textAt(body, 'hours', 'granted');
};

/** How long statistics take to show somebody's hours; `undefined` when longer than asked. */
export const msUntilShown = async (
  system: System,
  org: string,
  student: string,
  hours: string,
  within: number,
): Promise<number | undefined> => {
  const begun = Date.now();
  const shown = await poll(async () => (await grantedTo(system, org, student)) === hours || undefined, within, 20);
  return shown === undefined ? undefined : Date.now() - begun;
};

/** How many dead letters a service has, as its own tool says. */
export const deadLetters = async (system: System, service = 'stats'): Promise<number> => {
  const text = await system.tool('cli.ts', 'dead-letters', 'list', service);
  return /No dead letters wait/.test(text) ? 0 : Number(/(\d+) dead letters? waits?/.exec(text)?.[1] ?? Number.NaN);
};
