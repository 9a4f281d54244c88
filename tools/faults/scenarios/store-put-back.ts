import { createLoad } from '../load.ts';
import { pause } from '../poll.ts';
import { onSystem, type Scenario, settled, wellBefore } from '../scenario.ts';

/**
 * The broker's disk goes back while two services write. Both publish again what it forgot, in another order
 * than before, and statistics come back when the stream is as long as it was: what stands before their place
 * is not what stood there.
 */
export const storePutBack: Scenario = {
  name: 'store-put-back',
  about: "the broker's store goes back under writes from two services, statistics come back 3 s later",
  run: (context) =>
    onSystem(context, {}, async (system) => {
      const load = await createLoad(system, { seed: context.seed, writers: 3 });
      await load.during(2_000);
      await system.nats.copy('older');
      await load.during(4_000);
      await wellBefore(system, load);
      load.start();
      for (const one of system.of('stats')) await one.kill();
      await system.nats.putBack('older');
      await pause(3_000);
      for (const one of system.of('stats')) one.start();
      await pause(1_000);
      await load.stop();
      await system.heal();
      return settled(system, load);
    }),
};
