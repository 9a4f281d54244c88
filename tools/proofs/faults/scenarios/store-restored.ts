import { textAt } from '../../system/plain-api.ts';
import { createLoad, type Load } from '../load.ts';
import { type Scenario, checkAtEnd, requireHealthy } from '../scenario.ts';

const WRITERS = 6;

/** Writes that concern the class service only. */
const grantMany = async ({ schools, writer }: Load, count: number): Promise<void> => {
  const grantOne = async (n: number): Promise<void> => {
    const org = schools[n % schools.length]?.org ?? '';
    const body = { student_id: `s${1 + (n % 6)}`, hours: '1.00' };
    const evidence = (created: unknown): string[] => [`lot ${textAt(created, 'id')}`];
    await writer.write({ kind: 'grant', path: '/clazz/hour/grant', org, body, evidence });
  };
  const all = Array.from({ length: count }, (_, n) => n);
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, w) => {
      for (const n of all.filter((index) => index % WRITERS === w)) await grantOne(n);
    }),
  );
};

/**
 * The broker's disk is restored while two services write. Both publish the lost messages again, one later than the
 * other, so the order differs from before. When the statistics restart, the stream has its old length, but its
 * messages before their offset are not the ones they have processed.
 */
export const storeRestored: Scenario = {
  name: 'store-put-back',
  about: "the broker's store is restored under writes from two services; statistics restart 3 s later",
  run: async (system, context) => {
    const load = await createLoad(system, { seed: context.seed, writers: 3 });
    await load.writeCount(40);
    await system.nats.copy('older');
    await load.writeCount(context.short ? 120 : 300);
    await requireHealthy(system, load);
    for (const one of system.instancesOf('stats')) await one.kill();
    await system.nats.kill();
    for (const one of system.instancesOf('course')) one.toNats.set('cut');
    await system.nats.restoreCopy('older');
    const since = Date.now();
    await grantMany(load, context.short ? 100 : 300);
    for (const one of system.instancesOf('course')) one.toNats.heal();
    await load.writeFor(Math.max(500, since + 3_000 - Date.now()));
    for (const one of system.instancesOf('stats')) one.start();
    await system.heal();
    return checkAtEnd(system, load);
  },
};
