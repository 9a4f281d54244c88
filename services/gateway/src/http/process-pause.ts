import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Milliseconds that this request may have waited because the process was paused; 0 without a pause. */
    paused_ms: number;
  }
}

const TICK_MS = 500;
/** A gap of this length between two ticks means that the process was frozen or too busy. */
const PAUSE_MS = 1_000;
/** Requests that arrived during the pause, also on new connections, are read within this time. */
const READ_MS = 250;

/**
 * Marks requests that arrived during a process pause. They may have waited all that time while their sender tried
 * another gateway, so their deadline counts from the start of the pause.
 */
export const registerProcessPause = (app: FastifyInstance): void => {
  let tickedAt = performance.now();
  /** The last pause: its start, and the time until which its requests are read. */
  let [since, until] = [0, 0];
  const tick = (): number => {
    const now = performance.now();
    if (now - tickedAt > PAUSE_MS) [since, until] = [tickedAt, now + READ_MS];
    tickedAt = now;
    return now;
  };
  const ticking = setInterval(tick, TICK_MS).unref();
  app.addHook('onClose', async () => clearInterval(ticking));
  app.decorateRequest('paused_ms', 0);
  app.addHook('onRequest', (request, _reply, done) => {
    const now = tick();
    if (now < until) request.paused_ms = now - since;
    done();
  });
};
