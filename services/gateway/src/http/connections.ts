import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { record } from '@teaching/kit';
import type { FastifyInstance } from 'fastify';
import { type IsProxy, addressGroupOf } from './trusted-proxies.ts';

/** Requests of one connection that are not answered yet: browsers send one after the other (RFC 9112 §9.3.2). */
const MAX_AT_ONCE = 16;

/** Closes what one address opens beyond so many connections; a proxy brings those of many. */
export const limitConnections = (server: Server, most: number, isProxy: IsProxy | undefined): void => {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isProxy?.(remoteAddress) === true) return;
    const whose = addressGroupOf(remoteAddress);
    const others = open.get(whose) ?? 0;
    if (others >= most) {
      record.refused('connections');
      socket.destroy();
      return;
    }
    open.set(whose, others + 1);
    socket.once('close', () => {
      const left = (open.get(whose) ?? 1) - 1;
      if (left > 0) open.set(whose, left);
      else open.delete(whose);
    });
  });
};

/** Closes a connection with more than `MAX_AT_ONCE` unanswered requests, which bounds what waits there. */
export const limitRequestsAtOnce = (app: FastifyInstance): void => {
  const waiting = new WeakMap<Socket, number>();
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count <= MAX_AT_ONCE) return done();
    socket.destroy();
    reply.hijack();
    done();
  });
  app.addHook('onResponse', ({ raw: { socket } }, _reply, done) => {
    waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
    done();
  });
};

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

const SWEEP_MS = 50;

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
