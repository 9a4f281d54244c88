import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Target {
  host: string;
  port: number;
}

/**
 * What the wire does. `open`: forwards. `cut`: every connection is reset, new ones as well. `half-open`:
 * takes connections and bytes and forwards nothing; when it heals, what was held goes on.
 */
type Mode = 'open' | 'cut' | 'half-open';

export interface Proxy {
  port: number;
  set: (mode: Mode) => void;
  /** Every byte comes this much later. */
  delay: (ms: number) => void;
  /**
   * The next so many connections that send COMMIT are cut right after it went through, before its answer. With a
   * marker: those only that have sent this text before.
   */
  cutAfterCommit: (times: number, marker?: string) => void;
  /** Connections there are go silent: bytes vanish both ways, nothing is closed. New ones are as usual. */
  silence: () => void;
  heal: () => void;
  close: () => Promise<void>;
}

const COMMIT = /commit\0/i;
type Pair = readonly [Socket, Socket];

/** Stands between a client and a server whose place may change, on a free port of the loopback address. */
export const startProxy = async (target: () => Target): Promise<Proxy> => {
  let mode: Mode = 'open';
  let late = 0;
  let commitsToCut = 0;
  let commitMarker = '';
  const pairs = new Set<Pair>();
  const waiting = new Set<() => void>();
  const silent = new Set<Pair>();

  const cut = (pair: Pair): void => {
    pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  };
  const afterCommit = (pair: Pair): void => {
    commitsToCut -= 1;
    pairs.delete(pair);
    // Its end is not passed on: a reset would take from the server what it has not read yet.
    pair[0].removeAllListeners('close').destroy();
    // The server gets what was sent, does it, and finds nobody to answer to.
    pair[1].removeAllListeners('data').resume().end();
  };
  /** What stands at either end learns nothing of the other end's fate. */
  const hush = (pair: Pair): void => {
    pairs.delete(pair);
    silent.add(pair);
    for (const socket of pair) {
      for (const event of ['data', 'close', 'drain', 'error']) socket.removeAllListeners(event);
      socket.on('error', () => undefined).resume();
    }
  };
  const forward = (from: Socket, to: Socket, chunk: Buffer): void => {
    if (late === 0) void to.write(chunk);
    else setTimeout(() => to.writable && to.write(chunk), late);
    if (!to.writableNeedDrain) return;
    from.pause();
    to.once('drain', () => mode === 'open' && from.resume());
  };
  const join = (client: Socket): void => {
    const server = connect(target());
    const pair: Pair = [client, server];
    let isMarked = false;
    pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => cut(pair));
      socket.on('close', () => setTimeout(() => cut(pair), late));
    }
    client.on('data', (chunk) => {
      forward(client, server, chunk);
      if (commitsToCut === 0) return;
      const text = chunk.toString('latin1');
      isMarked ||= text.includes(commitMarker);
      if (isMarked && COMMIT.test(text)) afterCommit(pair);
    });
    server.on('data', (chunk) => forward(server, client, chunk));
  };
  const listener = createServer((client) => {
    client.on('error', () => client.destroy());
    if (mode === 'cut') client.destroy();
    else if (mode === 'open') join(client);
    else waiting.add(() => (mode === 'cut' ? client.destroy() : join(client)));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  const set = (wanted: Mode): void => {
    mode = wanted;
    if (mode === 'cut') for (const pair of pairs) cut(pair);
    for (const socket of [...pairs].flat()) {
      if (mode === 'open') socket.resume();
      else socket.pause();
    }
    if (mode === 'half-open') return;
    for (const begin of waiting) begin();
    waiting.clear();
  };
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port');
  return {
    port: address.port,
    set,
    delay: (ms) => void (late = ms),
    cutAfterCommit: (times, marker = '') => {
      commitsToCut = times;
      commitMarker = marker;
    },
    silence: () => {
      for (const pair of pairs) hush(pair);
    },
    heal: () => {
      late = 0;
      commitsToCut = 0;
      set('open');
      // A connection that lost bytes is never whole again.
      for (const pair of silent) for (const socket of pair) socket.destroy();
      silent.clear();
    },
    close: async () => {
      set('cut');
      for (const pair of silent) cut(pair);
      listener.close();
    },
  };
};
