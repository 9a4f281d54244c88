import { createLoad } from '../load.ts';
import { pause } from '../poll.ts';
import { type Scenario, settled, wellBefore } from '../scenario.ts';

/**
 * The broker's disk goes back while two services write. Both publish again what it forgot, one a little later than
 * the other, so in another order than before. When statistics come back, the stream is as long as it was: what
 * stands before their place in it is not what stood there.
 */
export const storePutBack: Scenario = {
  name: 'store-put-back',
  about: "the broker's store goes back under writes from two services, statistics come back 3 s later",
  story: async (system, context) => {
    const load = await createLoad(system, { seed: context.seed, writers: 3 });
    await load.during(1_000);
    await system.nats.copy('older');
    await load.during(context.short ? 2_000 : 4_000);
    await wellBefore(system, load);
    load.start();
    for (const one of system.of('stats')) await one.kill();
    await system.nats.kill();
    await pause(2_000);
    for (const one of system.of('course')) one.toNats.set('cut');
    await system.nats.putBack('older');
    await pause(2_000);
    for (const one of system.of('course')) one.toNats.heal();
    await pause(1_000);
    for (const one of system.of('stats')) one.start();
    await pause(1_000);
    await load.stop();
    await system.heal();
    return settled(system, load);
  },
};
