import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Socket } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openRawConnection, requestHead } from '../../test/raw-http.ts';
import { detachConnection } from './detach-connection.ts';

const app = Fastify();
let address = '';
let detached: Socket[] = [];
/** The connection of the last stream at the server. */
const lastDetached = async (count = 1): Promise<Socket> => {
  await expect.poll(() => detached.length, { interval: 1 }).toBe(count);
  const [last] = detached.slice(-1);
  if (last === undefined) throw new Error('no connection was detached');
  return last;
};
beforeAll(async () => {
  app.get('/stream', async (request, reply) => {
    await nextTurn();
    const socket = await detachConnection(request, reply.header('content-type', 'text/event-stream'));
    if (socket !== undefined) detached.push(socket);
    return reply;
  });
  app.get('/later', async () => new Promise((resolve) => setTimeout(resolve, 50, 'later')));
  app.get('/plain', async () => 'plain');
  address = await app.listen({ host: '127.0.0.1', port: 0 });
});
beforeEach(() => {
  detached = [];
});
afterAll(async () => {
  for (const socket of detached) socket.destroy();
  await app.close();
});

describe('A detached connection', () => {
  it.each(['HTTP/1.1', 'HTTP/1.0'])('sends a body by %s until it is ended', async (version) => {
    const page = await openRawConnection(address);
    page.socket.write(requestHead('GET /stream').replace('HTTP/1.1', version));
    const socket = await lastDetached();
    socket.write('first ');
    socket.write('last');
    socket.destroySoon();
    await page.ended;
    const [head = '', body] = page.text().split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(head.toLowerCase()).toContain('connection: close');
    expect(head.toLowerCase()).not.toContain('transfer-encoding');
    expect(body).toBe('first last');
  });

  it('is not known to the HTTP server any more', async () => {
    const page = await openRawConnection(address);
    page.socket.write(requestHead('GET /stream'));
    const socket = await lastDetached();
    // Closes all connections with a parser.
    app.server.closeAllConnections();
    await nextTurn();
    expect([socket.destroyed, socket.listenerCount('drain')]).toEqual([false, 0]);
    page.socket.destroy();
  });

  it('discards what its client sends, while its former parser reads other connections', async () => {
    const page = await openRawConnection(address);
    page.socket.write(requestHead('GET /stream'));
    const socket = await lastDetached();
    for (let n = 0; n < 3; n += 1) {
      page.socket.write(`${requestHead('GET /stream')}no HTTP`);
      const other = await fetch(`${address}/plain`);
      expect([other.status, await other.text()]).toEqual([200, 'plain']);
    }
    socket.write('still open');
    await expect.poll(page.text, { interval: 1 }).toMatch(/\r\n\r\nstill open$/);
    expect(detached).toEqual([socket]);
    page.socket.destroy();
  });

  it.each(['end', 'destroy'] as const)('is closed when its client closes it: %s', async (how) => {
    const page = await openRawConnection(address);
    page.socket.write(requestHead('GET /stream'));
    const socket = await lastDetached();
    // The server may also see an error: the client did not read the head.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    page.socket[how]();
    await Promise.all([closed, page.ended]);
  });

  it('is refused while an earlier request of the connection is unanswered', async () => {
    const page = await openRawConnection(address);
    page.socket.write(requestHead('GET /later') + requestHead('GET /stream'));
    await expect.poll(page.text, { interval: 1 }).toMatch(/later[^]*Send this request when the others/);
    expect(detached).toEqual([]);
    page.socket.destroy();
  });
});
