import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { record } from '@teaching/kit';
import { type IsProxy, neighbourhoodOf } from './proxies.ts';

/** Closes what one address opens beyond so many connections; a proxy brings those of many. */
export const limitConnections = (server: Server, most: number, isProxy: IsProxy | undefined): void => {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isProxy?.(remoteAddress) === true) return;
    const whose = neighbourhoodOf(remoteAddress);
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
