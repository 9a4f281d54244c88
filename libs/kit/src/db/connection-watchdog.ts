import { setImmediate as nextTurn } from 'node:timers/promises';
import { withTimeout } from '../base/timeout.ts';
import type { Address } from './address.ts';
import { always, p } from './columns.ts';
import { DatabaseClient, queryRows } from './database-client.ts';
import { ConnectionLost } from './database-fault.ts';
import { statement } from './statement.ts';

const SWEEP_MS = 250;
/** Sweeps without a byte, while something waits for an answer, after which Postgres is asked about a connection. */
const SILENT = 6;
/** Sweeps without a byte after which others are looked at once one was found dead: they see the same moment at most two apart. */
const UNHEARD = SILENT - 2;
/** What nobody waits for any more is given up this much later, so that its caller has heard that it took too long, */
const LATE_MS = 500;
/** and when nothing came for so many sweeps: others may wait behind it, and are answered. */
const OVERDUE = 2;
/** Postgres ends every statement sooner (`statement_timeout`), so nothing can still come. */
const LONGEST = 140;
/** Somebody who asks about a silent connection waits this long for a new one, and for an answer. */
const PATIENCE_MS = 2_000;

/** A backend that waits for its client does nothing for it: it has not heard what is to be done, or cannot say what came of it. */
const WORKING = statement(
  `select pid from pg_stat_activity where pid = any ($1) and wait_event_type is distinct from 'Client'`,
  { pid: always(p.integer()) },
);
/** In the list of what is selected, since conditions are tried in whatever order. */
const END = statement(
  `select pg_terminate_backend(pid) as is_ending from pg_stat_activity
   where pid = any ($1) and pid <> pg_backend_pid() and usename = current_user`,
  { is_ending: always(p.boolean()) },
);

/** One connection as the sweeps saw it: sweeps since a byte came, and how many of them it waited for one. */
interface Watched {
  client: DatabaseClient;
  received: number;
  unheard: number;
  silent: number;
}

const watched = new Set<Watched>();
/** Addresses that are being asked, or were a moment ago: until which sweep. */
const asked = new Map<Address, number>();
let sweeps = 0;
let timer: NodeJS.Timeout | undefined;

const look = (one: Watched): void => {
  const { received, isWaiting } = one.client;
  const isHeard = received !== one.received;
  one.received = received;
  one.unheard = isHeard ? 0 : one.unheard + 1;
  one.silent = isHeard || !isWaiting ? 0 : one.silent + 1;
};

/**
 * Asks Postgres, by a new connection, about some of one address; gives up those that it does nothing for though they
 * wait, and ends their sessions with the locks they hold. Answers which. An answer that was on its way has come by the
 * time the later question is answered.
 */
const destroyDead = async (address: Address, suspects: readonly Watched[]): Promise<Watched[]> => {
  const fresh = new DatabaseClient({ address, application_name: 'silence', connectionTimeoutMillis: PATIENCE_MS });
  const look = <T>(work: Promise<T>): Promise<T> => withTimeout(PATIENCE_MS, 'the database does not answer', work);
  const pids = (list: readonly Watched[]) => list.flatMap(({ client }) => client.backend ?? []);
  try {
    await look(fresh.connect());
    const working = new Set((await look(queryRows(fresh, WORKING, pids(suspects)))).map(({ pid }) => pid));
    await nextTurn();
    const dead = suspects.filter(
      ({ client, received }) => client.received === received && !working.has(client.backend ?? 0),
    );
    await look(queryRows(fresh, END, pids(dead)));
    for (const { client } of dead) client.destroy(new ConnectionLost('the connection fell silent'));
    return dead;
  } catch {
    // Nobody knows. What is dead runs into its deadline, what is slow is answered.
    return [];
  } finally {
    fresh.destroy(new ConnectionLost('the question was answered'));
  }
};

const serverOf = ({ client: { host, port } }: Watched): string => `${host}:${port}`;

/** Where one has died in silence, others may have without being noticed: all that were not heard of since are looked at. */
const judge = async (address: Address): Promise<void> => {
  const suspects = [...watched].filter((one) => one.client.address === address && one.silent >= SILENT);
  const [dead] = await destroyDead(address, suspects);
  if (dead === undefined) return;
  const unheard = [...watched].filter((one) => serverOf(one) === serverOf(dead) && one.unheard >= UNHEARD);
  const byAddress = Map.groupBy(unheard, ({ client }) => client.address);
  await Promise.all([...byAddress].map(([its, list]) => destroyDead(its, list)));
};

const sweep = (): void => {
  sweeps += 1;
  const now = Date.now();
  for (const one of watched) {
    look(one);
    const isOverdue = one.silent >= OVERDUE && one.client.deadline + LATE_MS < now;
    if (isOverdue || one.silent >= LONGEST) one.client.destroy(new ConnectionLost('a statement ran over its time'));
    else if (one.silent >= SILENT && (asked.get(one.client.address) ?? 0) <= sweeps) {
      asked.set(one.client.address, Infinity);
      void judge(one.client.address).finally(() => asked.set(one.client.address, sweeps + SILENT));
    }
  }
};

/**
 * Sees to it that nothing waits for a connection for ever. A few times a second, and without a share of any statement,
 * it looks what came: one that waits beyond its deadline is given up, and so is one that waits in silence while Postgres,
 * asked by a new connection, does nothing for it. So a slow statement is left alone until its deadline, and what a
 * network has cut off without a word is noticed in about two seconds, for all connections of the process to that server.
 */
export const watchConnection = (client: DatabaseClient): void => {
  const one: Watched = { client, received: client.received, unheard: 0, silent: 0 };
  watched.add(one);
  timer ??= setInterval(sweep, SWEEP_MS).unref();
  client.once('end', () => {
    watched.delete(one);
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
};
