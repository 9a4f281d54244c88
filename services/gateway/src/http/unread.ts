import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';

/** Connections on which an answer went out before all of the request was there. */
const answered = new WeakSet<object>();

/** Whether whoever is on this connection has their answer and only has not ended yet. */
export const isAnswered = (socket: object): boolean => answered.has(socket);

/**
 * Who is refused before the body is there may send the rest, so that the answer is not lost with the connection, but no
 * longer than this: then the connection is closed. Nothing of it is kept meanwhile.
 */
export const registerUnread = (app: FastifyInstance, patience_ms: number): void => {
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete) {
      const socket: Socket = raw.socket;
      answered.add(socket);
      const timer = setTimeout(() => socket.destroy(), patience_ms);
      // A connection outlives many requests: none of them leaves anything on it.
      const forget = (): void => {
        answered.delete(socket);
        clearTimeout(timer);
        raw.off('end', forget);
        socket.off('close', forget);
      };
      raw.once('end', forget);
      socket.once('close', forget);
    }
    done();
  });
};
