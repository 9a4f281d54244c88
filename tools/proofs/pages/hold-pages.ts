import { connect, type Socket } from 'node:net';
import type { HolderAnswer, OpenOrder, PageCounts } from './held-pages.ts';

/** The program that `startHolder` runs. */

const AT_ONCE = 50;
/** Local addresses that pages connect from. */
const ADDRESSES = 50;
const counts: PageCounts = { open: 0, changes: 0, alive: 0 };

/** The headers that a browser sends. */
const requestOf = (port: number, token: string): string =>
  [
    'GET /api/v1/changes HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    'Accept: text/event-stream',
    'Accept-Encoding: gzip, deflate, br, zstd',
    'Accept-Language: en-US,en;q=0.9',
    'Cache-Control: no-cache',
    'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    '\r\n',
  ].join('\r\n');

const countEvents = (text: string): void => {
  counts.changes += text.split('event: change\n').length - 1;
  counts.alive += text.split('event: alive\n').length - 1;
};

/** Resolves when the page has received its first event. */
const openPage = (port: number, token: string, n: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const localAddress = `127.0.1.${1 + (n % ADDRESSES)}`;
    const socket: Socket = connect({ host: '127.0.0.1', port, localAddress }, () => {
      counts.open += 1;
      socket.write(requestOf(port, token));
    });
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      if (text.startsWith('HTTP/') && !text.startsWith('HTTP/1.1 200')) reject(new Error(text.slice(0, 1_000)));
      countEvents(text);
      if (text.includes('\nid: ')) resolve();
    });
    socket.once('error', reject);
    socket.once('close', () => {
      counts.open -= 1;
    });
  });

const openPages = async ({ port, tokens }: OpenOrder): Promise<void> => {
  const waiting = tokens.entries();
  const openNext = async (): Promise<void> => {
    for (const [n, token] of waiting) await openPage(port, token, n);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, openNext));
};

const answer = async (order: OpenOrder | 'count'): Promise<HolderAnswer> => {
  try {
    if (order !== 'count') await openPages(order);
    return counts;
  } catch (error) {
    return { error: String(error) };
  }
};

process.on('message', (order: OpenOrder | 'count') => {
  void answer(order).then((said) => process.send?.(said));
});
process.once('disconnect', () => process.exit());
