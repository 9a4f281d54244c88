/** Floods an address over many connections in a thread of its own until it is stopped, then reports the answers. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { attackOf } from './floods.ts';
import type { Answered, Flooding } from './guard.ts';

const { address, flood, connections, token } = workerData as Flooding;
const { hostname, port } = new URL(address);
/** The pause between two bytes of a slow body. */
const BYTE_MS = 1_000;
/** A pause before the next attempt, so that the flood's own CPU is not measured. */
const AGAIN_MS = 20;

const stopping = new AbortController();
const answered: Answered = {};
const count = (what: string, more = 1): void => void (answered[what] = (answered[what] ?? 0) + more);

const dribble = (socket: Socket): void => {
  const timer = setInterval(() => socket.write('x'), BYTE_MS);
  socket.once('close', () => clearInterval(timer));
};

/** One connection, from its beginning until either side closes it. */
const attack = (): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(Number(port), hostname).setNoDelay();
    const send = (): void => void socket.write(attackOf(flood, token));
    const stop = (): void => void socket.destroy();
    stopping.signal.addEventListener('abort', stop, { once: true });
    socket.once('connect', () => {
      send();
      if (flood === 'slow-bodies') dribble(socket);
    });
    socket.on('data', (data) => {
      const statuses = [...data.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');
      for (const status of statuses) count(status);
      if (statuses.length > 0 && flood !== 'slow-bodies') send();
    });
    socket.once('error', () => undefined);
    socket.once('close', () => {
      stopping.signal.removeEventListener('abort', stop);
      if (!stopping.signal.aborted) count('closed');
      resolve();
    });
  });

const attacker = async (): Promise<void> => {
  while (!stopping.signal.aborted) {
    await attack();
    await sleep(AGAIN_MS);
  }
};

const all = Promise.all(Array.from({ length: connections }, attacker));
parentPort?.once('message', () => {
  stopping.abort();
  void all.then(() => parentPort?.postMessage(answered));
});
