import { historyCall, notFound, type RebuildProgress, rebuildCalls } from '@teaching/contracts';
import { type Handler, prepared, type Received, type Session, statement } from '@teaching/kit';
import { FED_BY, SOURCES } from '../projector/fed-by.ts';
import { readBatch, takeTurns } from '../projector/project.ts';

type Positions = Record<string, number>;
const NONE: Positions = Object.fromEntries(SOURCES.map((service) => [service, 0]));

const BUILDING = statement<{ gen: number; replayed: Positions; target: Positions | null }>(
  "select gen, replayed, target from generation where state = 'building'",
);
const BEGIN = statement<{ gen: number }>(`
  insert into generation (gen, state, replayed) select max(gen) + 1, 'building', $1 from generation returning gen`);
const ADVANCE = statement('update generation set replayed = $2, target = $3 where gen = $1');
const RETIRE = statement("update generation set state = 'old' where state = 'current'");
const CROWN = statement("update generation set state = 'current' where gen = $1");
const CURRENT = statement<{ gen: number }>("select gen from generation where state = 'current'");

const progressOf = ({ gen, replayed, target }: { gen: number; replayed: Positions; target: Positions | null }) => ({
  gen,
  done: false,
  replayed,
  heads: target ?? NONE,
});

/**
 * Begins a generation. The projector waits meanwhile, so every later batch goes into the new generation,
 * too; and all it has seen before is in the history that the steps read from now on.
 */
export const beginRebuild: Handler<typeof rebuildCalls.begin> = async (_input, session) => {
  takeTurns(session);
  const [going] = await session.query(BUILDING);
  if (going !== undefined) return progressOf(going);
  const begun = await session.one(BEGIN, JSON.stringify(NONE));
  return { gen: begun?.gen ?? 0, done: false, replayed: NONE, heads: NONE };
};

interface Page {
  events: Received[];
  replayed: Positions;
  heads: Positions;
}

/** The next page of every source's history. */
const readHistory = async (session: Session, after: Positions, limit: number): Promise<Page> => {
  const pages = await Promise.all(
    SOURCES.map(async (service) => {
      const body = { after_seq: after[service] ?? 0, limit, types: FED_BY.map(({ type }) => type) };
      return { service, page: await session.neighbours.call(historyCall(service), body) };
    }),
  );
  return {
    events: pages.flatMap(({ page }) => page.events.map((event): Received => ({ ...event, data: event.data }))),
    replayed: Object.fromEntries(pages.map(({ service, page }) => [service, page.last_seq])),
    heads: Object.fromEntries(pages.map(({ service, page }) => [service, page.head_seq])),
  };
};

/**
 * What was emitted after the first step read the heads reaches the new generation by the projector, as does
 * whatever committed late below them; so the end is fixed, however busy the sources are.
 */
const isReached = (replayed: Positions, target: Positions): boolean =>
  SOURCES.every((service) => (replayed[service] ?? 0) >= (target[service] ?? 0));

const same = (a: Positions, b: Positions): boolean => SOURCES.every((service) => a[service] === b[service]);

/** Makes the generation the one that counts, in the transaction that applied its last events. */
const crown = (session: Session, gen: number): void => {
  session.run(RETIRE);
  session.run(CROWN, gen);
};

/** Somebody else did this step already: tells how far it is now. */
const otherwise = async (session: Session, gen: number): Promise<RebuildProgress> => {
  const [[building], [current]] = await Promise.all([session.query(BUILDING), session.query(CURRENT)]);
  if (building?.gen === gen) return progressOf(building);
  if (current?.gen === gen) return { gen, done: true, replayed: NONE, heads: NONE };
  throw notFound('Generation');
};

export const stepRebuild = prepared(rebuildCalls.step, {
  prepare: ({ body }, session) => readHistory(session, body.replayed, body.limit),
  run: async ({ body }, session, page) => {
    takeTurns(session);
    const [building] = await session.query(BUILDING);
    if (building?.gen !== body.gen || !same(building.replayed, body.replayed)) return otherwise(session, body.gen);
    if (page.events.length > 0) await readBatch(page.events)(session, body.gen);
    const target = building.target ?? page.heads;
    session.run(ADVANCE, body.gen, JSON.stringify(page.replayed), JSON.stringify(target));
    const done = isReached(page.replayed, target);
    if (done) crown(session, body.gen);
    return { gen: body.gen, done, replayed: page.replayed, heads: target };
  },
});
