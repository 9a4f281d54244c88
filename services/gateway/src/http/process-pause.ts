import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** For how long, in milliseconds, this may have waited because the gateway stood still; 0 if it did not. */
    paused_ms: number;
  }
}

const NOTE_MS = 500;
/** Nothing noted for so long: the process was frozen, or too busy. */
const STANDSTILL_MS = 1_000;
/** What has come meanwhile, on new connections, too, is read within this time. */
const READ_MS = 250;

/**
 * Marks requests that arrived during a pause of the process: they may have waited all that time, while their sender has asked
 * another gateway. So their deadline counts from the beginning of the pause.
 */
export const registerProcessPause = (app: FastifyInstance): void => {
  let noted = performance.now();
  /** The last standstill: when it began, and until when requests are read that came in it. */
  let [since, until] = [0, 0];
  const note = (): number => {
    const now = performance.now();
    if (now - noted > STANDSTILL_MS) [since, until] = [noted, now + READ_MS];
    noted = now;
    return now;
  };
  const noting = setInterval(note, NOTE_MS).unref();
  app.addHook('onClose', async () => clearInterval(noting));
  app.decorateRequest('paused_ms', 0);
  app.addHook('onRequest', (request, _reply, done) => {
    const now = note();
    if (now < until) request.paused_ms = now - since;
    done();
  });
};
