import type pg from 'pg';
import { Connection } from '../db/connection.ts';
import { notNull, type RowOf, uuids } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { ReadYourWrites, WriteToken } from '../rpc/tokens.ts';
import type { Requester } from '../rpc/requester.ts';
import { batchedQuery } from './batched-query.ts';
import { PerOrganizationLimit } from './per-organization-limit.ts';
import type { FollowerDefinition } from './follower.ts';
import { FOLLOWER_POSITION } from './follower.table.ts';
import { LocalWaiters } from './local-waiters.ts';
import { orderOf } from './offset.ts';

/** How long a read waits for the write that it should include. */
const TIMEOUT_MS = 2_000;
/** Reads of one organization that may wait at once; further ones get `included: false` at once. */
const MAX_PER_ORG = 64;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

interface Waiting {
  tx_id: string;
  log: string;
  /** The order of the last event of the write. */
  order: number;
  until: number;
  resolve: (included: boolean) => void;
}

const OFFSET = FOLLOWER_POSITION.pick('log', 'epoch', 'no');
/** With those of the requested transactions that have dead letters. */
const FOUND = { ...OFFSET.shape, dead_tx_ids: notNull(uuids()) };
const DEAD = `array(
  select d.tx_id from dead_letter as d
  where d.follower = p.follower and d.log = p.log and d.tx_id = any ($1::uuid[]) and d.replayed_at is null
) as dead_tx_ids`;
const OFFSETS = statement(
  `select ${OFFSET.withAlias('p')}, ${DEAD} from follower_position as p where p.follower = $2 and not p.broken`,
  FOUND,
);
const OFFSETS_OF_CURRENT = statement(
  `select ${OFFSET.withAlias('p')}, ${DEAD} from follower_position as p
   where p.follower = (select $2 || ' ' || gen from generation where state = 'current') and not p.broken`,
  FOUND,
);

/**
 * Lets a read wait until it includes a write. The source of the write returns the last offset of the write in its log;
 * the read waits until this service's follower has reached it. All waiting reads share one statement, and none holds a
 * connection while it waits.
 */
export const createReadYourWrites = (
  { pool, requester }: { pool: pg.Pool; requester: Requester },
  def: FollowerDefinition | undefined,
  /**
   * The number of events of a transaction that this instance applied recently; undefined if another instance follows.
   */
  appliedHere: (tx_id: string) => number | undefined,
): ReadYourWrites & {
  /**
   * Call after this process applied events.
   */ applied: () => void;
} => {
  const isAppliedHere = ({ tx_id, events }: WriteToken): boolean => (appliedHere(tx_id) ?? 0) >= events;
  const localWaiters = new LocalWaiters(isAppliedHere);
  const queryReach = batchedQuery(requester);
  const limit = new PerOrganizationLimit(MAX_PER_ORG);
  const sources = [...new Set(def?.follows.map(({ service }) => service))];
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let pause = FIRST_PAUSE_MS;
  let isRunning = false;
  let isDueAgain = false;

  const readOffsets = async (follower: FollowerDefinition): Promise<RowOf<typeof FOUND>[]> => {
    const tx_ids = [...new Set(waiting.map(({ tx_id }) => tx_id))];
    const connection = new Connection(pool, 'all orgs', false);
    try {
      return await connection.query(follower.generations ? OFFSETS_OF_CURRENT : OFFSETS, [tx_ids, follower.name]);
    } finally {
      await connection.abandon();
    }
  };

  /**
   * Resolves the reads whose offset was reached, and those that timed out. A write with dead letters is not included: a
   * dead letter is applied later than a read waits.
   */
  const resolveReached = async (follower: FollowerDefinition): Promise<void> => {
    const asking = new Set(waiting);
    const offsets = new Map((await readOffsets(follower)).map((row) => [row.log, row]));
    const now = performance.now();
    waiting = waiting.filter((one) => {
      if (!asking.has(one)) return true;
      const at = offsets.get(one.log);
      const reached = at !== undefined && orderOf(at) >= one.order;
      if (!reached && now < one.until) return true;
      one.resolve(reached && !at.dead_tx_ids.includes(one.tx_id));
      return false;
    });
  };

  const run = async (): Promise<void> => {
    if (def === undefined) return;
    if (isRunning) {
      isDueAgain = true;
      return;
    }
    isRunning = true;
    clearTimeout(timer);
    try {
      do {
        isDueAgain = false;
        await resolveReached(def);
      } while (isDueAgain && waiting.length > 0);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      if (waiting.length > 0) timer = setTimeout(() => void run(), pause);
    } catch {
      // If the offsets cannot be read, the write counts as not included.
      for (const one of waiting) one.resolve(false);
      waiting = [];
    } finally {
      isRunning = false;
    }
  };

  const waitFor = (tx_id: string, log: string, order: number, until: number): Promise<boolean> =>
    new Promise((resolve) => {
      waiting.push({ tx_id, log, order, until, resolve });
      pause = FIRST_PAUSE_MS;
      void run();
    });

  const includedFrom = async (service: string, tx_id: string, until: number): Promise<boolean> => {
    const reach = await queryReach(service, tx_id, until);
    return reach !== undefined && waitFor(tx_id, service, reach.last, until);
  };

  const waitUntilIncluded = async (write: WriteToken): Promise<boolean> => {
    const { service, tx_id } = write;
    const until = performance.now() + TIMEOUT_MS;
    if (appliedHere(tx_id) !== undefined && (await localWaiters.wait(write))) return true;
    const sourcesToQuery = service === undefined ? sources : sources.filter((source) => source === service);
    const answers = await Promise.all(sourcesToQuery.map((source) => includedFrom(source, tx_id, until)));
    return answers.some(Boolean);
  };

  return {
    includes: async (write, org_id) => {
      if (write.events === 0 || def === undefined || isAppliedHere(write)) return true;
      return (await limit.run(org_id, () => waitUntilIncluded(write))) ?? false;
    },
    applied: () => {
      localWaiters.applied();
      if (waiting.length > 0) void run();
    },
  };
};
