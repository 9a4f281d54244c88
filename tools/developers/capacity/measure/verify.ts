import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { System } from '../../bench/system/system.ts';
import type { Figures } from '../figures.ts';

const LOOK_MS = 100;
/** The job looks each minute what is due. */
const PATIENCE_MS = 300_000;

const State = z.tuple([z.object({ done: z.coerce.number(), due: z.coerce.number() })]);
const STATE = `select (select coalesce(sum(entries), 0) from clazz.audit_verified) as done,
  (select count(*) from clazz.clazz_audit_log) as due`;

/** Has the chains of all trails recomputed, as once a day, and tells how fast it goes: from the first piece to the last. */
export const verifyRate = async ({ sql, session }: System): Promise<Figures['verify']> => {
  await sql('delete from clazz.audit_verified');
  return session(async (ask) => {
    const until = async (enough: (done: number, due: number) => boolean) => {
      for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(LOOK_MS)) {
        const [{ done, due }] = State.parse(await ask(STATE));
        if (enough(done, due)) return { done, at: performance.now() };
      }
      throw new Error('The trails were not recomputed');
    };
    const first = await until((done) => done > 0);
    const last = await until((done, due) => done >= due);
    return { entries_per_s: Math.round((1_000 * (last.done - first.done)) / (last.at - first.at)) };
  });
};
