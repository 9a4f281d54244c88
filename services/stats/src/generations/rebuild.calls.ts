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
  const positionsOf = (generation: number): Record<string, number> =>
    Object.fromEntries(
      positions
        .filter(({ follower }) => follower === generationFollower(statisticsFollower.name, generation))
        .map(({ log, no }) => [log, no]),
    );
  return { gen, done: building === undefined, why, read: positionsOf(gen), goal: positionsOf(current?.gen ?? gen) };
};

/** Creates a new generation. The leader instance builds it from the logs and then switches to it. */
export const beginRebuild: Handler<typeof rebuildCalls.begin> = async (_input, session) => {
  await beginGeneration(session, 'requested');
  return progress(session);
};

export const getRebuildProgress: Handler<typeof rebuildCalls.progress> = (_input, session) => progress(session);
