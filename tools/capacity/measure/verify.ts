import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { since, usedBy } from '../../bench/measure/by-process.ts';
import type { System } from '../../bench/system/system.ts';
import type { Figures } from '../figures.ts';
import { byPart, type ByPart, forEach } from './parts.ts';

const LOOK_MS = 100;
/** The job looks each minute what is due. */
const PATIENCE_MS = 300_000;

const State = z.tuple([z.object({ done: z.coerce.number(), due: z.coerce.number() })]);
const STATE = `select (select coalesce(sum(entries), 0) from clazz.audit_verified) as done,
  (select count(*) from clazz.clazz_audit_log) as due`;

/** Has the chains of all trails recomputed, as once a day, and tells how fast it goes: from the first piece to the last. */
export const verifyRate = async ({ sql, session, roots }: System, idle: ByPart): Promise<Figures['verify']> => {
  await sql('delete from clazz.audit_verified');
  return session(async (ask) => {
    const state = async () => State.parse(await ask(STATE))[0];
    const until = async (enough: (now: { done: number; due: number }) => boolean) => {
      for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(LOOK_MS)) {
        const now = await state();
        if (enough(now)) return { ...now, at: performance.now(), used: usedBy(roots()) };
      }
      throw new Error('The trails were not recomputed');
    };
    const first = await until(({ done }) => done > 0);
    const last = await until(({ done, due }) => done >= due);
    const entries = last.done - first.done;
    const seconds = (last.at - first.at) / 1_000;
    const cpu = byPart(since(first.used, last.used));
    for (const part of ['clazz', 'postgres clazz', 'postgres'] as const)
      cpu[part] = Math.max(0, (cpu[part] ?? 0) - (idle[part] ?? 0) * seconds * 1_000_000);
    const { clazz, 'postgres clazz': database } = cpu;
    return { entries_per_s: Math.round(entries / seconds), cpu_us: forEach({ clazz, 'postgres clazz': database }, entries, 0) };
  });
};
