import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceStatus, statusCalls } from '@teaching/contracts';
import { systemCaller, type Bus, callService, type Requester } from '@teaching/kit';
import type { FastifyInstance } from 'fastify';
import type { Keys } from '../auth/key-store.ts';
import type { Revocations } from '../auth/revocations.ts';
import type { Drain } from './connections.ts';
import type { RequestGuard } from './request-guard.ts';

const ANSWER_MS = 1_000;
/** However often it is asked, the services are asked once in this time. */
const FRESH_MS = 1_000;
/** Whoever watches over it has the answer so soon: what was found last counts until services have answered anew. */
const SOON_MS = 250;

/** What anybody may know of a service: whether it answers, and whether its events go their way. */
interface Check {
  status: 'ok' | 'down';
  log?: { published: boolean; followers_in_trouble: number; went_back: boolean; dead_letters: number };
}

interface HealthDeps {
  bus: Bus;
  requester: Requester;
  keys: Keys;
  revocations: Revocations;
  drain: Drain;
  guard: Pick<RequestGuard, 'pace'>;
}

const okIf = (isWell: boolean): Check['status'] => (isWell ? 'ok' : 'down');

const detailOf = ({ logs, followers }: ServiceStatus): Check => ({
  status: 'ok',
  log: {
    published: logs.every(({ trouble }) => trouble === null),
    followers_in_trouble: followers.filter(({ trouble }) => trouble !== null).length,
    went_back: followers.some(({ broken }) => broken),
    dead_letters: followers.reduce((sum, one) => sum + one.dead_letters, 0),
  },
});

/**
 * `/health/live`: the process runs. `/health/ready`: the bus and the keys for tokens are there, who must not enter is known, every
 * service has answered at least once, and one does now; a service that is down later is reported, but takes the gateway out of rotation only when
 * none is left. How the services' logs stand is told, and decides nothing.
 */
export const registerHealth = (
  app: FastifyInstance,
  { bus, requester, keys, revocations, drain, guard }: HealthDeps,
  services: readonly string[],
): void => {
  let seenAll = false;
  let asked: { at: number; checks: Promise<Check[]> } | undefined;
  let last: Check[] | undefined;

  const check = (service: string): Promise<Check> =>
    callService(systemCaller(requester, ANSWER_MS), statusCalls(service).get, {}).then(detailOf, () => ({
      status: 'down',
    }));
  const checkAll = (): Promise<Check[]> => {
    if (!bus.isUp()) return Promise.resolve(services.map(() => ({ status: 'down' })));
    if (asked === undefined || Date.now() - asked.at > FRESH_MS) {
      asked = { at: Date.now(), checks: Promise.all(services.map(check)) };
      void asked.checks.then((found) => (last = found));
    }
    const before = last;
    return before === undefined ? asked.checks : Promise.race([asked.checks, sleep(SOON_MS, before)]);
  };

  app.get('/health/live', { onRequest: guard.pace }, async () => ({ status: 'ok' }));
  app.get('/health/ready', { onRequest: guard.pace }, async (_request, reply) => {
    const found = await checkAll();
    seenAll ||= found.every(({ status }) => status === 'ok');
    const reachesOne = seenAll && found.some(({ status }) => status === 'ok');
    const ready = bus.isUp() && keys.areThere() && revocations.isSure() && reachesOne && !drain.isDraining;
    const checks = Object.fromEntries(services.map((service, index) => [service, found[index]?.status ?? 'down']));
    const logs = Object.fromEntries(
      services.flatMap((service, index) => {
        const log = found[index]?.log;
        return log === undefined ? [] : [[service, log]];
      }),
    );
    return reply.code(ready ? 200 : 503).send({
      status: ready ? 'ok' : 'unavailable',
      checks: { bus: okIf(bus.isUp()), keys: okIf(keys.areThere()), shut_out: okIf(revocations.isSure()), ...checks },
      logs,
    });
  });
};
