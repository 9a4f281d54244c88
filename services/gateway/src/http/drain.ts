import type { Socket } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

const SWEEP_MS = 50;

/** Whether the gateway is about to stop: it still serves, but is not ready any more. */
export interface Drain {
  isDraining: boolean;
}

/** While the gateway drains, every answer asks its client to take another connection for what comes next. */
export const registerDrain = (app: FastifyInstance, drain: Drain): void => {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (drain.isDraining) reply.header('connection', 'close');
    done(null, payload);
  });
};

/** Knows all connections, so that those without any request can be closed, too; Node closes only used ones. */
export const trackConnections = (app: FastifyInstance): ReadonlySet<Socket> => {
  const open = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
};

/**
 * Stops accepting once no call is under way, and resolves when all connections are closed: idle ones at once, the others with
 * their last answer, and what is left after `patience_ms` by force. Until then it listens: a proxy that could not ask
 * any more would take it for lost, with all it has to answer.
 */
export const closeGently = async (
  app: FastifyInstance,
  connections: ReadonlySet<Socket>,
  underWay: () => number,
  patience_ms: number,
): Promise<void> => {
  const until = performance.now() + patience_ms;
  while (underWay() > 0 && performance.now() < until) await sleep(SWEEP_MS);
  // What has arrived is read first: a connection with an unread request is not idle.
  await turn();
  const closed = app.close();
  const sweep = setInterval(() => {
    app.server.closeIdleConnections();
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  }, SWEEP_MS);
  const end = setTimeout(() => app.server.closeAllConnections(), Math.max(0, until - performance.now()));
  try {
    await closed;
  } finally {
    clearInterval(sweep);
    clearTimeout(end);
  }
};
