import type { Script, Step } from './script.ts';
import { turns } from './turns.ts';
import type { ClazzSeed, FigureSeed } from './work.ts';

/** A question to the statistics. */
export const askFigures = (seed: readonly FigureSeed[]): Step => {
  const next = turns(seed);
  return async (connection) => {
    await connection.send({ method: 'GET', ...next() });
  };
};

/**
 * A write that statistics are made of, and of which they keep something by which it can be told from every other:
 * the name of the class. Answers when each was answered, by that name.
 */
export const changeClazz = (seed: readonly ClazzSeed[]): Script => {
  const next = turns(seed);
  let answered: Record<string, number> = {};
  let count = 0;
  return {
    step: async (connection) => {
      const { token, id } = next();
      const name = `Class in round ${(count += 1)}`;
      await connection.send({ method: 'PATCH', path: `/api/v1/clazz/${id}`, token, body: { name } });
      answered[name] = performance.timeOrigin + performance.now();
    },
    answered: () => {
      const all = answered;
      answered = {};
      return all;
    },
  };
};
