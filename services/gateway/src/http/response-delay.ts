import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Delays a request by about the configured milliseconds, and the requests of one connection one after the other. So
 * each connection gets one answer per delay, however fast the client sends. Resolves to whether the client is still
 * connected.
 */
export type ResponseDelay = (request: FastifyRequest) => Promise<boolean>;

/** `chance` redelays 0 to 1 and spreads the delays: requests that arrive together do not continue together. */
export const createResponseDelay = (ms: number, chance: () => number = Math.random): ResponseDelay => {
  const delays = new WeakMap<Socket, Promise<void>>();

  const wait = (socket: Socket): Promise<void> =>
    new Promise((resolve) => {
      if (socket.destroyed) return resolve();
      const over = (): void => {
        clearTimeout(timer);
        socket.off('close', over);
        resolve();
      };
      const timer = setTimeout(over, ms * (0.5 + chance()));
      socket.once('close', over);
    });

  return async ({ raw: { socket } }) => {
    const delayed = (delays.get(socket) ?? Promise.resolve()).then(() => wait(socket));
    delays.set(socket, delayed);
    await delayed;
    return !socket.destroyed;
  };
};
