import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Requester } from '../bus/requester.ts';
import { Connection } from '../db/connection.ts';
import { type Statement, statement } from '../db/statement.ts';
import { askHowFar } from './ask-source.ts';
import type { FollowerDef } from './follow.ts';
import type { Reach } from './messages.ts';
import { orderOf } from './place.ts';

/** How long a read waits for the write it should see. */
const PATIENCE_MS = 2_000;
const FIRST_LOOK_MS = 2;
const SLOWEST_LOOK_MS = 50;
const AGAIN_MS = 100;

interface Write {
  service?: string | undefined;
  tx_id: string;
  events: number;
}

/** Tells whether the events of a write have been applied in this service. */
export interface Inclusion {
  /** Waits until they are; false when that takes too long, or when the write is gone. */
  includes(write: Write): Promise<boolean>;
  /** This process applied events just now: look again. */
  applied: () => void;
}

/** Where this process follows itself, a write is usually here within this time, and nobody has to be asked. */
const NEARBY_MS = 100;

interface Nearby {
  write: Write;
  resolve: (included: boolean) => void;
}

interface Waiting {
  tx_id: string;
  log: string;
  /** The place its events reach to. */
  order: number;
  until: number;
  resolve: (included: boolean) => void;
}

interface Looked {
  log: string;
  epoch: number;
  no: number;
  /** Those of the asked transactions that have events among the dead letters. */
  aside: string[];
}

const looking = (def: FollowerDef): Statement<Looked> => {
  const follower = def.generations
    ? `(select '${def.name} ' || gen from generation where state = 'current')`
    : `'${def.name}'`;
  return statement<Looked>(`
    select p.log, p.epoch, p.no, array(
      select d.tx_id from dead_letter as d
      where d.follower = p.follower and d.log = p.log and d.tx_id = any ($1::uuid[]) and d.replayed_at is null
    ) as aside
    from follower_position as p where p.follower = ${follower} and not p.broken`);
};

/** A source that nobody leads just now will be led in a moment. */
const patiently = async (question: () => Promise<Reach>): Promise<Reach> => {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(AGAIN_MS)) {
    try {
      return await question();
    } catch {
      // Asked again, or answered as not included.
    }
  }
  return {};
};

/** Asks each source once for all transactions that are asked about in one turn. */
const createQuestions = (requester: Requester) => {
  const asked = new Map<string, Map<string, ((reach: Reach[string] | undefined) => void)[]>>();
  const send = async (service: string): Promise<void> => {
    const questions = asked.get(service) ?? new Map();
    asked.delete(service);
    const reach = await patiently(() => askHowFar(requester, service, [...questions.keys()], PATIENCE_MS));
    for (const [tx_id, answers] of questions) for (const answer of answers) answer(reach[tx_id]);
  };
  return (service: string, tx_id: string): Promise<Reach[string] | undefined> =>
    new Promise((resolve) => {
      const questions = asked.get(service) ?? new Map();
      if (questions.size === 0) setImmediate(() => void send(service));
      asked.set(service, questions);
      questions.set(tx_id, [...(questions.get(tx_id) ?? []), resolve]);
    });
};

/**
 * The source of a write says up to which place in its log the write reaches; the read waits until this service's
 * own place is there. All waiting reads share one statement, and none holds a connection while it waits.
 */
export const createInclusion = (
  { pool, requester }: { pool: pg.Pool; requester: Requester },
  def: FollowerDef | undefined,
  /** How many events of a transaction this instance applied lately; undefined when another one follows. */
  appliedHere: (tx_id: string) => number | undefined,
): Inclusion => {
  let nearby: Nearby[] = [];
  const look = def && looking(def);
  const ask = createQuestions(requester);
  const sources = [...new Set(def?.follows.map(({ service }) => service))];
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let pause = FIRST_LOOK_MS;
  let busy = false;
  let again = false;

  const lookOnce = async (what: Statement<Looked>): Promise<void> => {
    const asking = new Set(waiting);
    const connection = new Connection(pool, 'all orgs', false);
    let rows: Looked[];
    try {
      rows = await connection.query(what, [[...new Set(waiting.map(({ tx_id }) => tx_id))]]);
    } finally {
      await connection.abandon();
    }
    const places = new Map(rows.map((row) => [row.log, { order: orderOf(row), aside: new Set(row.aside) }]));
    const now = Date.now();
    waiting = waiting.filter((one) => {
      if (!asking.has(one)) return true;
      const at = places.get(one.log);
      const reached = at !== undefined && at.order >= one.order;
      const included = reached && !at.aside.has(one.tx_id);
      if (!included && now < one.until) return true;
      one.resolve(included);
      return false;
    });
  };

  const run = async (): Promise<void> => {
    if (look === undefined) return;
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    clearTimeout(timer);
    try {
      do {
        again = false;
        await lookOnce(look);
      } while (again && waiting.length > 0);
      pause = Math.min(pause * 2, SLOWEST_LOOK_MS);
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
      pause = FIRST_LOOK_MS;
      void run();
    });

  const isHere = ({ tx_id, events }: Write): boolean => (appliedHere(tx_id) ?? 0) >= events;

  /** Waits a little for a write that this process is about to apply. */
  const comesBy = (write: Write): Promise<boolean> =>
    new Promise((resolve) => {
      const one: Nearby = {
        write,
        resolve: (included) => {
          clearTimeout(timer);
          resolve(included);
        },
      };
      const timer = setTimeout(() => {
        nearby = nearby.filter((other) => other !== one);
        resolve(false);
      }, NEARBY_MS);
      nearby.push(one);
    });

  const includedFrom = async (service: string, tx_id: string, until: number): Promise<boolean> => {
    const reach = await ask(service, tx_id);
    return reach !== undefined && waitFor(tx_id, service, reach.last, until);
  };

  return {
    includes: async (write) => {
      const { service, tx_id, events } = write;
      if (events === 0 || look === undefined || isHere(write)) return true;
      const until = Date.now() + PATIENCE_MS;
      if (appliedHere(tx_id) !== undefined && (await comesBy(write))) return true;
      const asked = service === undefined ? sources : sources.filter((source) => source === service);
      const answers = await Promise.all(asked.map((source) => includedFrom(source, tx_id, until)));
      return answers.some(Boolean);
    },
    applied: () => {
      const here = nearby.filter(({ write }) => isHere(write));
      if (here.length > 0) nearby = nearby.filter(({ write }) => !isHere(write));
      for (const one of here) one.resolve(true);
      if (waiting.length > 0) void run();
    },
  };
};
