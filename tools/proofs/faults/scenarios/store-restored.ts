import { textAt } from '../../system/plain-api.ts';
import { createLoad, type Load } from '../load.ts';
import { type Scenario, checkAtEnd, requireHealthy } from '../scenario.ts';

const WRITERS = 6;

/** Writes of the class service alone. */
const grants = async ({ schools, writer }: Load, count: number): Promise<void> => {
  const one = async (n: number): Promise<void> => {
    const org = schools[n % schools.length]?.org ?? '';
    const body = { student_id: `s${1 + (n % 6)}`, hours: '1.00' };
    const leaves = (it: unknown): string[] => [`lot ${textAt(it, 'id')}`];
    await writer.write({ kind: 'grant', path: '/clazz/hour/grant', org, body, leaves });
  };
  const all = Array.from({ length: count }, (_, n) => n);
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, w) => {
      for (const n of all.filter((it) => it % WRITERS === w)) await one(n);
    }),
  );
};

/**
 * The broker's disk goes back while two services write. Both publish again what it forgot, one a little later than
 * the other, so in another order than before. When statistics come back, the stream is as long as it was: what
 * stands before their place in it is not what stood there.
 */
export const storeRestored: Scenario = {
  name: 'store-put-back',
  about: "the broker's store goes back under writes from two services, statistics come back 3 s later",
  story: async (system, context) => {
    const load = await createLoad(system, { seed: context.seed, writers: 3 });
    await load.writes(40);
    await system.nats.copy('older');
    await load.writes(context.short ? 120 : 300);
    await requireHealthy(system, load);
    for (const one of system.of('stats')) await one.kill();
    await system.nats.kill();
    for (const one of system.of('course')) one.toNats.set('cut');
    await system.nats.putBack('older');
    const since = Date.now();
    await grants(load, context.short ? 100 : 300);
    for (const one of system.of('course')) one.toNats.heal();
    await load.during(Math.max(500, since + 3_000 - Date.now()));
    for (const one of system.of('stats')) one.start();
    await system.heal();
    return checkAtEnd(system, load);
  },
};
