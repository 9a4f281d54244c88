import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Target {
  host: string;
  port: number;
}

/**
 * The state of a proxy. `open` forwards. `cut` resets every connection, also new ones. `half-open` accepts
 * connections and bytes but forwards nothing; it forwards the held bytes when it is opened again.
 */
type Mode = 'open' | 'cut' | 'half-open';

export interface Proxy {
  port: number;
  set: (mode: Mode) => void;
  /** Delays every byte by `ms` milliseconds. */
  delay: (ms: number) => void;
  /**
   * Cuts the next `times` connections that send COMMIT, after the server received it and before its answer. With a
   * marker: only connections that have sent this text.
   */
  cutAfterCommit: (times: number, marker?: string) => void;
  /** Silences existing connections: bytes vanish in both directions and nothing is closed. New connections work. */
  silence: () => void;
  heal: () => void;
  close: () => Promise<void>;
}

const COMMIT = /commit\0/i;
type Pair = readonly [Socket, Socket];

/** Starts a proxy on a free loopback port, in front of a server whose address may change. */
export const startProxy = async (target: () => Target): Promise<Proxy> => {
  let mode: Mode = 'open';
  let delayMs = 0;
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
    // The client's end is not forwarded, because a reset would discard bytes that the server has not read.
    pair[0].removeAllListeners('close').destroy();
    // The server receives the commit, executes it and finds no client for its answer.
    pair[1].removeAllListeners('data').resume().end();
  };
  /** Detaches both ends, so that neither notices the end of the other. */
  const silencePair = (pair: Pair): void => {
    pairs.delete(pair);
    silent.add(pair);
    for (const socket of pair) {
      for (const event of ['data', 'close', 'drain', 'error']) socket.removeAllListeners(event);
      socket.on('error', () => undefined).resume();
    }
  };
  const forward = (from: Socket, to: Socket, chunk: Buffer): void => {
    if (delayMs === 0) void to.write(chunk);
    else setTimeout(() => to.writable && to.write(chunk), delayMs);
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
      socket.on('close', () => setTimeout(() => cut(pair), delayMs));
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
  if (address === null || typeof address === 'string') throw new Error('the proxy has no TCP port');
  return {
    port: address.port,
    set,
    delay: (ms) => void (delayMs = ms),
    cutAfterCommit: (times, marker = '') => {
      commitsToCut = times;
      commitMarker = marker;
    },
    silence: () => {
      for (const pair of pairs) silencePair(pair);
    },
    heal: () => {
      delayMs = 0;
      commitsToCut = 0;
      set('open');
      // A connection that lost bytes cannot be repaired.
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
