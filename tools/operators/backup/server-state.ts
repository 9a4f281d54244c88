import { type Programs, run } from './programs.ts';
import { type Lsn, lsnOf } from './wal.rules.ts';

/** The slot that retains log for the archive. `restore` leaves it out, so its absence shows that a log began again. */
export const SLOT = 'teaching_backup';

/** The state of the server at one moment. */
export interface ServerState {
  system_id: string;
  segment_size: number;
  version: string;
  timeline: number;
  at: Date;
  /** The position up to which the log is on disk. */
  flushed: Lsn;
  slot: { isLost: boolean; isActive: boolean; confirmed: Lsn | undefined } | undefined;
}

const ASK = `
  select json_build_object(
    'system_id', (select system_identifier::text from pg_control_system()),
    'segment_size', (select setting from pg_settings where name = 'wal_segment_size'),
    'version', current_setting('server_version'),
    'timeline', substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8),
    'at', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'flushed', pg_current_wal_flush_lsn()::text,
    'has_slot', exists (select from pg_replication_slots where slot_name = '${SLOT}'),
    'slot', (select wal_status from pg_replication_slots where slot_name = '${SLOT}'),
    'active', (select active from pg_replication_slots where slot_name = '${SLOT}'),
    'confirmed', (select restart_lsn::text from pg_replication_slots where slot_name = '${SLOT}'))`;

const ask = async (programs: Programs, statement: string): Promise<string> =>
  run(programs, 'psql', [
    '--no-psqlrc',
    '--quiet',
    '--no-align',
    '--tuples-only',
    '--no-password',
    `--command=${statement}`,
  ]);

/** Queries the server that libpq's variables name. */
export const queryServer = async (programs: Programs): Promise<ServerState> => {
  const found: unknown = JSON.parse(await ask(programs, ASK));
  const fields = new Map<string, unknown>(Object.entries(found ?? {}));
  const text = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'string' ? value : '';
  };
  const confirmed = text('confirmed');
  const slot = {
    isLost: text('slot') === 'lost',
    isActive: fields.get('active') === true,
    confirmed: confirmed === '' ? undefined : lsnOf(confirmed),
  };
  return {
    system_id: text('system_id'),
    segment_size: Number(text('segment_size')),
    version: text('version'),
    timeline: Number.parseInt(text('timeline'), 16),
    at: new Date(text('at')),
    flushed: lsnOf(text('flushed')),
    slot: fields.get('has_slot') === true ? slot : undefined,
  };
};

export const makeSlot = (programs: Programs): Promise<string> =>
  ask(programs, `select pg_create_physical_replication_slot('${SLOT}', true)`);
export const dropSlot = (programs: Programs): Promise<string> =>
  ask(programs, `select pg_drop_replication_slot('${SLOT}')`);
