import type { Script, Step } from './script.ts';
import { turns } from './turns.ts';
import type { ClazzSeed, FigureSeed } from './work.ts';

/** A question of somebody who asks it again and again. */
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

/** A class of its own each time. */
export const createClazz = (seed: readonly ClazzSeed[]): Step => {
  const next = turns(seed);
  let count = 0;
  return async (connection) => {
    const { token, teacher } = next();
    const body = { name: `Class made as number ${(count += 1)}`, lead_teacher_id: teacher };
    await connection.send({ method: 'POST', path: '/api/v1/clazz', token, body });
  };
};
