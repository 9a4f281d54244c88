import type { Bus } from '@teaching/kit';
import type { FastifyInstance } from 'fastify';

const ANSWER_MS = 1_000;

/**
 * `/health/live`: the process runs. `/health/ready`: the bus is there, and every service has answered at
 * least once; a service that is down later is reported, but does not take the gateway out of rotation.
 */
export const registerHealth = (app: FastifyInstance, bus: Bus, services: readonly string[]): void => {
  let seenAll = false;
  const isUp = (service: string): Promise<boolean> =>
    bus.nc.request(`call.${service}.health`, '', { timeout: ANSWER_MS }).then(
      () => true,
      () => false,
    );
  app.get('/health/live', async () => ({ status: 'ok' }));
  app.get('/health/ready', async (_request, reply) => {
    const up = bus.isUp() ? await Promise.all(services.map(isUp)) : services.map(() => false);
    seenAll ||= up.every(Boolean);
    const ready = bus.isUp() && seenAll;
    const checks = Object.fromEntries(services.map((service, index) => [service, up[index] ? 'ok' : 'down']));
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'ok' : 'unavailable', checks: { bus: bus.isUp() ? 'ok' : 'down', ...checks } });
  });
};
