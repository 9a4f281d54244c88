import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceStatus, statusCalls } from '@teaching/contracts';
import { systemCaller, type Bus, callService, reportedSkews, type Requester } from '@teaching/kit';
import type { FastifyInstance } from 'fastify';
import type { Keys } from '../auth/key-store.ts';
import type { Revocations } from '../auth/revocations.ts';
import type { Drain } from './connections.ts';
import type { RequestGuard } from './request-guard.ts';

const ANSWER_MS = 1_000;
/** Shortest time between two status requests to the services. */
const FRESH_MS = 1_000;
/** A readiness request waits at most this long; then it gets the last result. */
const SOON_MS = 250;

/** The public status of a service: whether it answers, and whether its events are published and processed. */
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
  guard: Pick<RequestGuard, 'limitPublicRequests'>;
}

const okIf = (isHealthy: boolean): Check['status'] => (isHealthy ? 'ok' : 'down');

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
 * `/health/live`: the process runs. `/health/ready`: the bus, the token keys and the revocation list are available,
 * every service has answered at least once, and at least one answers now. A service that fails later is reported but
 * does not make the gateway unready. The state of the services' logs and clocks
 * that differ by more than two seconds are only reported.
 */
export const registerHealth = (
  app: FastifyInstance,
  { bus, requester, keys, revocations, drain, guard }: HealthDeps,
  services: readonly string[],
): void => {
  let haveAllAnswered = false;
  let asked: { at: number; checks: Promise<Check[]> } | undefined;
  let last: Check[] | undefined;

  const check = (service: string): Promise<Check> =>
    callService(systemCaller(requester, ANSWER_MS), statusCalls(service).get, {}).then(detailOf, () => ({
      status: 'down',
    }));
  const checkAll = (): Promise<Check[]> => {
    if (!bus.isUp()) return Promise.resolve(services.map(() => ({ status: 'down' })));
    if (asked === undefined || performance.now() - asked.at > FRESH_MS) {
      asked = { at: performance.now(), checks: Promise.all(services.map(check)) };
      void asked.checks.then((found) => (last = found));
    }
    const before = last;
    return before === undefined ? asked.checks : Promise.race([asked.checks, sleep(SOON_MS, before)]);
  };

  app.get('/health/live', { onRequest: guard.limitPublicRequests }, async () => ({ status: 'ok' }));
  app.get('/health/ready', { onRequest: guard.limitPublicRequests }, async (_request, reply) => {
    const found = await checkAll();
    haveAllAnswered ||= found.every(({ status }) => status === 'ok');
    const isAnyServiceUp = haveAllAnswered && found.some(({ status }) => status === 'ok');
    const ready = bus.isUp() && keys.areAvailable() && revocations.isFresh() && isAnyServiceUp && !drain.isDraining;
    const checks = Object.fromEntries(services.map((service, index) => [service, found[index]?.status ?? 'down']));
    const logs = Object.fromEntries(
      services.flatMap((service, index) => {
        const log = found[index]?.log;
        return log === undefined ? [] : [[service, log]];
      }),
    );
    return reply.code(ready ? 200 : 503).send({
      status: ready ? 'ok' : 'unavailable',
      checks: {
        bus: okIf(bus.isUp()),
        keys: okIf(keys.areAvailable()),
        shut_out: okIf(revocations.isFresh()),
        ...checks,
      },
      logs,
      clocks: reportedSkews(requester.clockSkews()),
    });
  });
};
