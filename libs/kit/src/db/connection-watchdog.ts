import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { withTimeout } from '../base/timeout.ts';
import type { Address } from './address.ts';
import { notNull, p } from './columns.ts';
import { DatabaseClient, queryRows } from './database-client.ts';
import { ConnectionLost } from './database-fault.ts';
import { statement } from './statement.ts';

const SWEEP_MS = 250;
/** Sweeps without a received byte, while a statement waits, after which Postgres is asked about a connection. */
const SILENT = 6;
/**
 * When one connection was found dead, others without a byte for this many sweeps are checked too. Two connections that
 * die at the same moment may be counted up to two sweeps apart.
 */
const SUSPECT_AFTER = SILENT - 2;
/** A connection is destroyed this long after its deadline, so that its caller has received the timeout first. */
const LATE_MS = 500;
/**
 * It is also destroyed only after this many sweeps without a byte, because while bytes arrive, later statements on it
 * may still be answered.
 */
const OVERDUE = 2;
/** Postgres ends every statement sooner (`statement_timeout`), so no answer can arrive after this many sweeps. */
const LONGEST = 140;
/** How long the check waits for a new connection, and for each answer on it. */
const CHECK_TIMEOUT_MS = 2_000;

/**
 * A backend that waits for its client works on nothing: the statement did not reach it, or its answer cannot be sent.
 */
const WORKING = statement(
  `select pid from pg_stat_activity where pid = any ($1) and wait_event_type is distinct from 'Client'`,
  { pid: notNull(p.integer()) },
);
/** The function is in the select list, since Postgres evaluates conditions in any order. */
const END = statement(
  `select pg_terminate_backend(pid) as is_ending from pg_stat_activity
   where pid = any ($1) and pid <> pg_backend_pid() and usename = current_user`,
  { is_ending: notNull(p.boolean()) },
);

/**
 * One connection as the sweeps see it. `unheard`: sweeps since the last byte. `silent`: those of them in which a
 * statement waited.
 */
interface Watched {
  client: DatabaseClient;
  received: number;
  unheard: number;
  silent: number;
}

const watched = new Set<Watched>();
/** Addresses that are being checked, or were checked recently: the sweep until which no new check begins. */
const checkedUntil = new Map<Address, number>();
let sweeps = 0;
let timer: NodeJS.Timeout | undefined;

const countSweep = (one: Watched): void => {
  const { receivedBytes, isWaiting } = one.client;
  const isHeard = receivedBytes !== one.received;
  one.received = receivedBytes;
  one.unheard = isHeard ? 0 : one.unheard + 1;
  one.silent = isHeard || !isWaiting ? 0 : one.silent + 1;
};

/**
 * Asks Postgres over a new connection which of these connections of one address it works for. Destroys those that wait
 * though Postgres does nothing for them, and ends their sessions with the locks that they hold. Returns them. An answer
 * that was on its way has arrived by the time the later question is answered.
 */
const destroyDead = async (address: Address, suspects: readonly Watched[]): Promise<Watched[]> => {
  const fresh = new DatabaseClient({ address, application_name: 'silence', connectionTimeoutMillis: CHECK_TIMEOUT_MS });
  const withLimit = <T>(work: Promise<T>): Promise<T> =>
    withTimeout(CHECK_TIMEOUT_MS, 'the database does not answer', work);
  const pids = (list: readonly Watched[]) => list.flatMap(({ client }) => client.backendPid ?? []);
  try {
    await withLimit(fresh.connect());
    const working = new Set((await withLimit(queryRows(fresh, WORKING, pids(suspects)))).map(({ pid }) => pid));
    await nextEventLoopTurn();
    const dead = suspects.filter(
      ({ client, received }) => client.receivedBytes === received && !working.has(client.backendPid ?? 0),
    );
    await withLimit(queryRows(fresh, END, pids(dead)));
    for (const { client } of dead) client.destroy(new ConnectionLost('the server no longer works on the statement'));
    return dead;
  } catch {
    // The check failed. Dead connections end at their deadline, slow statements are answered.
    return [];
  } finally {
    fresh.destroy(new ConnectionLost('the check is complete'));
  }
};

const serverOf = ({ client: { host, port } }: Watched): string => `${host}:${port}`;

/** If one connection has died silently, others to the server may have too: all without a byte since are checked. */
const checkSilentConnections = async (address: Address): Promise<void> => {
  const suspects = [...watched].filter((one) => one.client.address === address && one.silent >= SILENT);
  const [dead] = await destroyDead(address, suspects);
  if (dead === undefined) return;
  const unheard = [...watched].filter((one) => serverOf(one) === serverOf(dead) && one.unheard >= SUSPECT_AFTER);
  const byAddress = Map.groupBy(unheard, ({ client }) => client.address);
  await Promise.all([...byAddress].map(([otherAddress, list]) => destroyDead(otherAddress, list)));
};

const sweep = (): void => {
  sweeps += 1;
  const now = performance.now();
  for (const one of watched) {
    countSweep(one);
    const isOverdue = one.silent >= OVERDUE && one.client.deadline + LATE_MS < now;
    if (isOverdue || one.silent >= LONGEST)
      one.client.destroy(new ConnectionLost('a statement exceeded its time limit'));
    else if (one.silent >= SILENT && (checkedUntil.get(one.client.address) ?? 0) <= sweeps) {
      checkedUntil.set(one.client.address, Infinity);
      void checkSilentConnections(one.client.address).finally(() =>
        checkedUntil.set(one.client.address, sweeps + SILENT),
      );
    }
  }
};

/**
 * Destroys connections that can no longer answer, so that no caller waits forever. Four times a second the watchdog
 * compares received bytes, without sending a statement. It destroys a connection that waits beyond its deadline. It
 * also destroys one that waits in silence while Postgres, asked over a new connection, does nothing for it.
 *
 * So a slow statement continues until its deadline. A connection that the network cut off silently is found in about
 * two seconds, with all other connections of the process to that server.
 */
export const watchConnection = (client: DatabaseClient): void => {
  const one: Watched = { client, received: client.receivedBytes, unheard: 0, silent: 0 };
  watched.add(one);
  timer ??= setInterval(sweep, SWEEP_MS).unref();
  client.once('end', () => {
    watched.delete(one);
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
};
