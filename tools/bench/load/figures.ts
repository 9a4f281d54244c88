import { untilIncluded } from './included.ts';
import type { Step } from './script.ts';
import { turns } from './turns.ts';
import type { ClazzSeed, FigureSeed } from './work.ts';

/** A question to the statistics. */
export const askFigures = (seed: readonly FigureSeed[]): Step => {
  const next = turns(seed);
  return async (connection) => {
    await connection.send({ method: 'GET', ...next() });
  };
};

/** Of so many writes one is followed into the statistics: following all would load them more than the writes do. */
const FOLLOWED = 20;

/**
 * A write that statistics are made of. `lag` is the time from its answer until the statistics say that they contain
 * it; `read` is the same question asked once more, which the lag contains besides.
 */
export const changeClazz = (seed: readonly ClazzSeed[]): Step => {
  const next = turns(seed);
  let count = 0;
  return async (connection, note) => {
    const { token, id } = next();
    const n = (count += 1);
    const began = performance.now();
    const body = { name: `Class in round ${n}` };
    const { written } = await connection.send({ method: 'PATCH', path: `/api/v1/clazz/${id}`, token, body });
    const answered = performance.now();
    note('write', answered - began);
    if (n % FOLLOWED !== 0) return;
    await untilIncluded(connection, token, written);
    const included = performance.now();
    note('lag', included - answered);
    await untilIncluded(connection, token, written);
    note('read', performance.now() - included);
  };
};
