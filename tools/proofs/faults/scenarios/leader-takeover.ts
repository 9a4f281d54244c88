import { randomUUID } from 'node:crypto';
import { hasJoinedWithin } from '../../system/instance-health.ts';
import { grantHours, msUntilShown } from '../poison-events.ts';
import { limitFor, type Scenario } from '../scenario.ts';
import { seconds } from '../traffic.ts';
import type { ProxiedInstance } from '../../system/proxied-instances.ts';

/** A way to lose the leader, and the time limit in ms for the takeover by another instance. */
interface Way {
  name: string;
  limit: number;
  strike: (one: ProxiedInstance) => Promise<void> | void;
}

const WAYS: readonly Way[] = [
  { name: 'killed', limit: 5_000, strike: (one) => one.kill() },
  { name: 'frozen', limit: 15_000, strike: (one) => one.freeze() },
  {
    // Its connections stay open on the other side, but carry no more data.
    name: 'on a dead host',
    limit: 15_000,
    strike: (one) => {
      one.toPostgres?.set('half-open');
      one.toNats.set('half-open');
    },
  },
];

const TIMEOUT_MS = 20_000;
const JOIN_TIMEOUT_MS = 20_000;

/** The leader is not visible from outside, so each instance is lost once in each way. */
export const leaderTakeover: Scenario = {
  name: 'duties',
  about: 'each of two instances is killed, frozen and cut off: events flow again within 5 s, 15 s and 15 s',
  system: { instances: { clazz: 2, stats: 2 } },
  run: async (system, context) => {
    const org = randomUUID();
    const waits: string[] = [];
    const patience = limitFor(context, TIMEOUT_MS);
    let ok = true;
    for (const { name, limit, strike } of context.short ? WAYS.slice(0, 1) : WAYS) {
      for (const one of [...system.instancesOf('clazz'), ...system.instancesOf('stats')]) {
        await hasJoinedWithin(one, limitFor(context, JOIN_TIMEOUT_MS));
        const student = `${one.name}-${name.replaceAll(' ', '-')}`;
        await strike(one);
        const since = Date.now();
        await grantHours(system, org, student);
        const isShown = (await msUntilShown(system, org, student, '2.00', patience)) !== undefined;
        const ms = Date.now() - since;
        waits.push(`${one.name} ${name}: ${isShown ? seconds(ms) : 'never'}`);
        ok &&= isShown && ms <= limitFor(context, limit);
        // A host that lost its power does not return with its old connections.
        await one.kill();
        await system.heal();
        await msUntilShown(system, org, student, '2.00', patience);
      }
    }
    return { ok, line: `until events flow again: ${waits.join(', ')}` };
  },
};
