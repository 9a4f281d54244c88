import type { RebuildProgress, rebuildCalls } from '@teaching/contracts';
import { beginGeneration, bigint, generationFollower, type Handler, p, type Session, statement } from '@teaching/kit';
import { statisticsFollower } from './statistics-follower.ts';

const GENERATIONS = statement("select gen, state, why from generation where state <> 'old'", {
  gen: p.integer(),
  state: p.enum(['current', 'building', 'old']),
  why: p.text().nullable(),
});
const POSITIONS = statement('select follower, log, no from follower_position', {
  follower: p.text(),
  log: p.text(),
  no: bigint(),
});

const progress = async (session: Session): Promise<RebuildProgress> => {
  const [generations, positions] = await Promise.all([session.query(GENERATIONS), session.query(POSITIONS)]);
  const current = generations.find(({ state }) => state === 'current');
  const building = generations.find(({ state }) => state === 'building');
  const { gen, why } = building ?? current ?? { gen: 0, why: null };
  const numbers = (of: number): Record<string, number> =>
    Object.fromEntries(
      positions
        .filter(({ follower }) => follower === generationFollower(statisticsFollower.name, of))
        .map(({ log, no }) => [log, no]),
    );
  return { gen, done: building === undefined, why, read: numbers(gen), goal: numbers(current?.gen ?? gen) };
};

/** Begins a generation; the leading instance sees it, builds it from the logs and switches to it. */
export const beginRebuild: Handler<typeof rebuildCalls.begin> = async (_input, session) => {
  await beginGeneration(session, 'asked for');
  return progress(session);
};

export const rebuildProgress: Handler<typeof rebuildCalls.progress> = (_input, session) => progress(session);
