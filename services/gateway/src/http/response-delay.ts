import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Delays a request by `ms`, or about the configured milliseconds, and the requests of one connection one after the other. So
 * each connection gets one answer per delay, however fast the client sends. Resolves to whether the client is still
 * connected.
 */
export type ResponseDelay = (request: FastifyRequest, ms?: number) => Promise<boolean>;

/** `chance` returns 0 to 1 and spreads the delays: requests that arrive together do not continue together. */
export const createResponseDelay = (mean_ms: number, chance: () => number = Math.random): ResponseDelay => {
  const delays = new WeakMap<Socket, Promise<void>>();

  const wait = (socket: Socket, ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (socket.destroyed) return resolve();
      const over = (): void => {
        clearTimeout(timer);
        socket.off('close', over);
        resolve();
      };
      const timer = setTimeout(over, ms);
      socket.once('close', over);
    });

  return async ({ raw: { socket } }, ms) => {
    const delayed = (delays.get(socket) ?? Promise.resolve()).then(() =>
      wait(socket, ms ?? mean_ms * (0.5 + chance())),
    );
    delays.set(socket, delayed);
    await delayed;
    return !socket.destroyed;
  };
};
