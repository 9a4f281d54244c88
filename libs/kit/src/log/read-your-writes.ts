import type pg from 'pg';
import { Connection } from '../db/connection.ts';
import { always, type RowOf, uuids } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { Inclusion, WriteToken } from '../rpc/tokens.ts';
import type { Requester } from '../rpc/requester.ts';
import { batchedQuery } from './batched-query.ts';
import { PerOrganizationLimit } from './per-organization-limit.ts';
import type { FollowerDefinition } from './follower.ts';
import { FOLLOWER_POSITION } from './follower.table.ts';
import { LocalWaiters } from './local-waiters.ts';
import { orderOf } from './offset.ts';

/** How long a read waits for the write it should see. */
const PATIENCE_MS = 2_000;
/** Reads of one organization that may wait at once; further ones are told at once that nothing is certain. */
const MOST_OF_AN_ORG = 64;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

interface Waiting {
  tx_id: string;
  log: string;
  /** The place its events reach to. */
  order: number;
  until: number;
  resolve: (included: boolean) => void;
}

const PLACE = FOLLOWER_POSITION.some('log', 'epoch', 'no');
/** With those of the asked transactions that have events among the dead letters. */
const FOUND = { ...PLACE.shape, dead_tx_ids: always(uuids()) };
const DEAD = `array(
  select d.tx_id from dead_letter as d
  where d.follower = p.follower and d.log = p.log and d.tx_id = any ($1::uuid[]) and d.replayed_at is null
) as dead_tx_ids`;
const PLACES = statement(
  `select ${PLACE.of('p')}, ${DEAD} from follower_position as p where p.follower = $2 and not p.broken`,
  FOUND,
);
const PLACES_OF_CURRENT = statement(
  `select ${PLACE.of('p')}, ${DEAD} from follower_position as p
   where p.follower = (select $2 || ' ' || gen from generation where state = 'current') and not p.broken`,
  FOUND,
);

/**
 * The source of a write says up to which place in its log the write reaches; the read waits until this service's
 * own place is there. All waiting reads share one statement, and none holds a connection while it waits.
 */
export const createReadYourWrites = (
  { pool, requester }: { pool: pg.Pool; requester: Requester },
  def: FollowerDefinition | undefined,
  /** How many events of a transaction this instance applied lately; undefined when another one follows. */
  appliedHere: (tx_id: string) => number | undefined,
): Inclusion & { /** This process applied events just now. */ applied: () => void } => {
  const isHere = ({ tx_id, events }: WriteToken): boolean => (appliedHere(tx_id) ?? 0) >= events;
  const nearby = new LocalWaiters(isHere);
  const ask = batchedQuery(requester);
  const waitingRoom = new PerOrganizationLimit(MOST_OF_AN_ORG);
  const sources = [...new Set(def?.follows.map(({ service }) => service))];
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let pause = FIRST_PAUSE_MS;
  let busy = false;
  let again = false;

  const readPlaces = async (follower: FollowerDefinition): Promise<RowOf<typeof FOUND>[]> => {
    const tx_ids = [...new Set(waiting.map(({ tx_id }) => tx_id))];
    const connection = new Connection(pool, 'all orgs', false);
    try {
      return await connection.query(follower.generations ? PLACES_OF_CURRENT : PLACES, [tx_ids, follower.name]);
    } finally {
      await connection.abandon();
    }
  };

  /**
   * Answers those whose place was reached, and those who have waited long enough. What is a dead letter when its
   * place is passed comes later than anybody waits.
   */
  const compare = async (follower: FollowerDefinition): Promise<void> => {
    const asking = new Set(waiting);
    const places = new Map((await readPlaces(follower)).map((row) => [row.log, row]));
    const now = Date.now();
    waiting = waiting.filter((one) => {
      if (!asking.has(one)) return true;
      const at = places.get(one.log);
      const reached = at !== undefined && orderOf(at) >= one.order;
      if (!reached && now < one.until) return true;
      one.resolve(reached && !at.dead_tx_ids.includes(one.tx_id));
      return false;
    });
  };

  const run = async (): Promise<void> => {
    if (def === undefined) return;
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    clearTimeout(timer);
    try {
      do {
        again = false;
        await compare(def);
      } while (again && waiting.length > 0);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      if (waiting.length > 0) timer = setTimeout(() => void run(), pause);
    } catch {
      // A read without certainty is answered as one that does not include the write.
      for (const one of waiting) one.resolve(false);
      waiting = [];
    } finally {
      busy = false;
    }
  };

  const waitFor = (tx_id: string, log: string, order: number, until: number): Promise<boolean> =>
    new Promise((resolve) => {
      waiting.push({ tx_id, log, order, until, resolve });
      pause = FIRST_PAUSE_MS;
      void run();
    });

  const includedFrom = async (service: string, tx_id: string, until: number): Promise<boolean> => {
    const reach = await ask(service, tx_id, until);
    return reach !== undefined && waitFor(tx_id, service, reach.last, until);
  };

  const waitUntilIncluded = async (write: WriteToken): Promise<boolean> => {
    const { service, tx_id } = write;
    const until = Date.now() + PATIENCE_MS;
    if (appliedHere(tx_id) !== undefined && (await nearby.wait(write))) return true;
    const asked = service === undefined ? sources : sources.filter((source) => source === service);
    const answers = await Promise.all(asked.map((source) => includedFrom(source, tx_id, until)));
    return answers.some(Boolean);
  };

  return {
    includes: async (write, org_id) => {
      if (write.events === 0 || def === undefined || isHere(write)) return true;
      return (await waitingRoom.run(org_id, () => waitUntilIncluded(write))) ?? false;
    },
    applied: () => {
      nearby.applied();
      if (waiting.length > 0) void run();
    },
  };
};
