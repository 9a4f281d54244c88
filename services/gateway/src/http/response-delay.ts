import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Lets a request wait for about so many milliseconds, those of one connection one after the other: however fast somebody asks,
 * each connection gets one request answered in that time. Resolves to whether the client is still there.
 */
export type ResponseDelay = (request: FastifyRequest) => Promise<boolean>;

/** `chance`, from 0 to 1, spreads them: those that came together do not go on together. */
export const createResponseDelay = (ms: number, chance: () => number = Math.random): ResponseDelay => {
  const turns = new WeakMap<Socket, Promise<void>>();

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
    const mine = (turns.get(socket) ?? Promise.resolve()).then(() => wait(socket));
    turns.set(socket, mine);
    await mine;
    return !socket.destroyed;
  };
};
