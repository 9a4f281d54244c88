import { randomUUID } from 'node:crypto';
import { grantHours, msUntilShown } from '../poison-events.ts';
import { pause } from '../../system/poll.ts';
import { limitFor, type Scenario, logSummary } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';

const LIMIT_MS = 10_000;

/** Ways to lose the last message of a stream. No later write could reveal the gap. */
const WAYS: Readonly<Record<string, (system: System) => Promise<void>>> = {
  'broker killed at that moment': async ({ nats }) => {
    await nats.kill();
    await nats.start();
  },
  'store deleted': async ({ nats }) => {
    await pause(500);
    await nats.deleteStore();
  },
  'store restored': async ({ nats }) => {
    await pause(500);
    await nats.restoreCopy('before');
  },
};

export const lostLastCommits: Scenario = {
  name: 'lost-last',
  about: 'the last message before a pause in writes is lost: statistics still show it within 10 s',
  run: async (system, context) => {
    const org = randomUUID();
    await grantHours(system, org, 'first');
    await msUntilShown(system, org, 'first', '2.00', limitFor(context, 20_000));
    const found: string[] = [];
    let ok = true;
    for (const [way, lose] of Object.entries(WAYS)) {
      const student = way.replaceAll(' ', '-');
      await system.nats.copy('before');
      // The statistics cannot receive the event before it is lost.
      for (const one of system.instancesOf('stats')) one.toNats.set('cut');
      await grantHours(system, org, student);
      await lose(system);
      await system.heal();
      const ms = await msUntilShown(system, org, student, '2.00', limitFor(context, 20_000));
      found.push(`${way}: ${ms === undefined ? 'never' : `${ms / 1_000} s`}`);
      ok &&= ms !== undefined && ms <= limitFor(context, LIMIT_MS);
    }
    return { ok, line: `until shown, ${found.join(', ')}; ${logSummary(system)}` };
  },
};
