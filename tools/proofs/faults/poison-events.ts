import { textAt } from '../system/plain-api.ts';
import { poll } from '../system/poll.ts';
import type { System } from '../system/start-system.ts';

/** The names of all statistics tables with figures of students, read from the catalogue. */
export const tablesOfStudents = async (system: System): Promise<string[]> => {
  const rows = await system.statsPostgres.sql<{ name: string }>(`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'stats' and c.relkind in ('r', 'p') and not c.relispartition and 2 = (select count(*)
      from pg_attribute a where a.attrelid = c.oid and a.attname in ('org_id', 'student_id') and not a.attisdropped)`);
  if (rows.length === 0) throw new Error('the statistics have no table with figures of students');
  return rows.map(({ name }) => name);
};

/**
 * Creates a trigger that runs `act` at every write of a row whose student matches the pattern `students`, in one
 * organization, so that the statistics fail there.
 */
export const addPoison = async (system: System, org: string, students: string, act: string): Promise<void> => {
  const { sql } = system.statsPostgres;
  await sql(`create or replace function stats.poisoned() returns trigger language plpgsql as
    $$ begin ${act}; return new; end $$`);
  await sql(`grant execute on function stats.poisoned() to public`);
  for (const name of await tablesOfStudents(system)) {
    await sql(`create trigger poisoned before insert or update on ${name} for each row
      when (new.org_id = '${org}' and new.student_id like '${students}') execute function stats.poisoned()`);
  }
};

export const removePoison = async (system: System): Promise<void> => {
  await system.statsPostgres.sql('drop function if exists stats.poisoned() cascade');
};

/** Grants hours to a student. Retries for up to 60 s. */
export const grantHours = async (system: System, org: string, student_id: string, hours = '2.00'): Promise<void> => {
  const body = { student_id, hours };
  const isGranted = async () => {
    const { status } = await system.api({ method: 'POST', path: '/clazz/hour/grant', org, body });
    return status === 201 || undefined;
  };
  if ((await poll(isGranted, 60_000, 200)) === undefined) throw new Error('granting hours failed for 60 s');
};

export const readGrantedHours = async (system: System, org: string, student: string): Promise<string> => {
  const { body } = await system.api({ path: `/clazz/stats/my-lessons?student_id=${student}`, org });
  return textAt(body, 'hours', 'granted');
};

/** Milliseconds until the statistics show the hours of a student; `undefined` when it takes longer than `within`. */
export const msUntilShown = async (
  system: System,
  org: string,
  student: string,
  hours: string,
  within: number,
): Promise<number | undefined> => {
  const begun = Date.now();
  const shown = await poll(
    async () => (await readGrantedHours(system, org, student)) === hours || undefined,
    within,
    20,
  );
  return shown === undefined ? undefined : Date.now() - begun;
};

/** Number of dead letters of a service, as `cli.ts dead-letters list` prints it. */
export const countDeadLetters = async (system: System, service = 'stats'): Promise<number> => {
  const text = await system.tool('cli.ts', 'dead-letters', 'list', service);
  return /No dead letters wait/.test(text) ? 0 : Number(/(\d+) dead letters? waits?/.exec(text)?.[1] ?? Number.NaN);
};
