import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { record } from '@teaching/kit';
import type { FastifyInstance } from 'fastify';
import { type IsProxy, addressGroupOf } from './trusted-proxies.ts';
import type { UnansweredRequests } from './unanswered-requests.ts';

/**
 * Closes connections of one address beyond `most`. Trusted proxies are not limited: they carry the connections of many
 * clients.
 */
export const limitConnections = (server: Server, most: number, isProxy: IsProxy | undefined): void => {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isProxy?.(remoteAddress) === true) return;
    const group = addressGroupOf(remoteAddress);
    const others = open.get(group) ?? 0;
    if (others >= most) {
      record.refused('connections');
      socket.destroy();
      return;
    }
    open.set(group, others + 1);
    socket.once('close', () => {
      const left = (open.get(group) ?? 1) - 1;
      if (left > 0) open.set(group, left);
      else open.delete(group);
    });
  });
};

/** `isDraining` is true while the gateway stops: it still serves requests but is not ready. */
export interface Drain {
  isDraining: boolean;
}

/**
 * While the gateway drains, the response to the newest request of a connection has `Connection: close`, so the client
 * uses another connection for its next request.
 */
export const registerDrain = (app: FastifyInstance, drain: Drain, unanswered: UnansweredRequests): void => {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (drain.isDraining && unanswered.closeAfter(request)) reply.header('connection', 'close');
    done(null, payload);
  });
};

/** Tracks all connections, so that those without any request can be closed too. Node closes only used ones. */
export const trackConnections = (app: FastifyInstance): ReadonlySet<Socket> => {
  const open = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
};

const SWEEP_MS = 50;

/**
 * Closes the server once no call is in progress. Resolves when all connections are closed: idle ones at once, others
 * with their last response, the rest by force after `patience_ms`. It listens until then: a proxy that cannot connect
 * would treat the gateway and its pending requests as lost.
 */
export const closeGracefully = async (
  app: FastifyInstance,
  connections: ReadonlySet<Socket>,
  countPending: () => number,
  patience_ms: number,
): Promise<void> => {
  const until = performance.now() + patience_ms;
  while (countPending() > 0 && performance.now() < until) await sleep(SWEEP_MS);
  // Read bytes that have arrived first: a connection with an unread request is not idle.
  await nextTurn();
  const closed = app.close();
  const sweep = setInterval(() => {
    app.server.closeIdleConnections();
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  }, SWEEP_MS);
  // Node's `closeAllConnections` does not know detached connections.
  const destroyAll = (): void => connections.forEach((socket) => socket.destroy());
  const end = setTimeout(destroyAll, Math.max(0, until - performance.now()));
  try {
    await closed;
  } finally {
    clearInterval(sweep);
    clearTimeout(end);
  }
};
