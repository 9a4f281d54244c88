import { z } from 'zod';
import type { Connection } from './connection.ts';

const Included = z.object({ included: z.boolean() });
const PATIENCE_MS = 60_000;

/**
 * The cheapest question to the statistics: a teacher who teaches nothing, one day. What is measured is when they
 * contain a write, not how long they take to sum a month.
 */
const today = new Date().toISOString().slice(0, 10);
const PATH = `/api/v1/clazz/stats/teacher-detail?teacher_id=nobody&from=${today}&to=${today}`;

/** Returns when the statistics contain the write of this token. */
export const untilIncluded = async (connection: Connection, token: string, after: string): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const answer = await connection.json({ method: 'GET', path: PATH, token, after });
    if (Included.parse(answer).included) return;
  }
  throw new Error(`The statistics did not contain a write after ${PATIENCE_MS / 1_000} s`);
};
