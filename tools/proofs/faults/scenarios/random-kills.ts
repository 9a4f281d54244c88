import { createLoad } from '../load.ts';
import { pause } from '../../system/poll.ts';
import { randomOf } from '../random.ts';
import { type Scenario, checkAtEnd } from '../scenario.ts';

const KILLS = 200;

/** Kills processes repeatedly under load. No write may be lost, duplicated or invented. */
export const randomKills: Scenario = {
  name: 'random-kills',
  about: `${KILLS} random kills of all processes under load: nothing is lost or duplicated`,
  system: { instances: { clazz: 2, stats: 2 } },
  run: async (system, context) => {
    const random = randomOf(context.seed);
    const load = await createLoad(system, { seed: context.seed });
    const kills: (() => Promise<void>)[] = [
      ...system.instances.map((one) => async () => {
        await one.kill();
        one.start();
      }),
      async () => {
        await system.postgres.kill();
        await system.postgres.start();
      },
      async () => {
        await system.nats.kill();
        await system.nats.start();
      },
    ];
    load.start();
    const count = context.short ? KILLS / 20 : KILLS;
    for (let n = 0; n < count; n += 1) {
      await pause(random.between(50, 1_200));
      await random.pick(kills)();
    }
    await system.heal();
    await load.stop();
    const { ok, line } = await checkAtEnd(system, load, 60_000);
    return { ok, line: `after ${count} kills, ${line}` };
  },
};
