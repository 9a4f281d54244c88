import { randomUUID } from 'node:crypto';
import { joined } from '../../system/instance-health.ts';
import { grant, msUntilShown } from '../poison-events.ts';
import { limitFor, type Scenario } from '../scenario.ts';
import { seconds } from '../traffic.ts';
import type { ProxiedInstance } from '../../system/proxied-instances.ts';

/** How the one that leads is lost, and until when another must have taken its duties over. */
interface Way {
  name: string;
  limit: number;
  strike: (one: ProxiedInstance) => Promise<void> | void;
}

const WAYS: readonly Way[] = [
  { name: 'killed', limit: 5_000, strike: (one) => one.kill() },
  { name: 'frozen', limit: 15_000, strike: (one) => one.freeze() },
  {
    // Its connections stay open on the other side, and nothing comes from it any more.
    name: 'on a dead host',
    limit: 15_000,
    strike: (one) => {
      one.toPostgres?.set('half-open');
      one.toNats.set('half-open');
    },
  },
];

const PATIENCE_MS = 20_000;
const JOINS_MS = 20_000;

/** Nobody outside knows which instance has the duties, so each of them is lost once in each way. */
export const duties: Scenario = {
  name: 'duties',
  about: 'of two instances, each is killed, frozen and on a dead host: events flow within 5 s, 15 s and 15 s',
  on: { instances: { clazz: 2, stats: 2 } },
  story: async (system, context) => {
    const org = randomUUID();
    const waits: string[] = [];
    const patience = limitFor(context, PATIENCE_MS);
    let ok = true;
    for (const { name, limit, strike } of context.short ? WAYS.slice(0, 1) : WAYS) {
      for (const one of [...system.of('clazz'), ...system.of('stats')]) {
        await joined(one, limitFor(context, JOINS_MS));
        const student = `${one.name}-${name.replaceAll(' ', '-')}`;
        await strike(one);
        const since = Date.now();
        await grant(system, org, student);
        const isShown = (await msUntilShown(system, org, student, '2.00', patience)) !== undefined;
        const ms = Date.now() - since;
        waits.push(`${one.name} ${name}: ${isShown ? seconds(ms) : 'never'}`);
        ok &&= isShown && ms <= limitFor(context, limit);
        // A dead host does not come back with its old connections.
        await one.kill();
        await system.heal();
        await msUntilShown(system, org, student, '2.00', patience);
      }
    }
    return { ok, line: `until events flow again: ${waits.join(', ')}` };
  },
};
