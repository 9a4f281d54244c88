/**
 * Floods an address over many connections in a process of its own until it is stopped, then reports the answers. It has
 * the lowest priority, so that the system and the measured user do not wait for the CPU of the flood: strangers are other
 * machines.
 */
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { attackOf } from './floods.ts';
import type { Answered, Flooding } from './guard.ts';

const LOWEST = 19;
/** The pause between two bytes of a slow body. */
const BYTE_MS = 1_000;
/** A pause before the next attempt of a connection that was closed. */
const AGAIN_MS = 20;

/** This process is a session of its own, which Linux may schedule as a group: the group has a priority, too. */
const yieldToOthers = (): void => {
  setPriority(LOWEST);
  try {
    writeFileSync('/proc/self/autogroup', String(LOWEST));
  } catch {
    // Groups are off.
  }
};

const stopping = new AbortController();
const answered: Answered = {};
const count = (what: string, more = 1): void => void (answered[what] = (answered[what] ?? 0) + more);

const dribble = (socket: Socket): void => {
  const timer = setInterval(() => socket.write('x'), BYTE_MS);
  socket.once('close', () => clearInterval(timer));
};

/** The statuses of the answers that begin in these bytes. */
const statusesIn = (bytes: Buffer): string[] => {
  const found: string[] = [];
  for (let at = bytes.indexOf('HTTP/1.1 '); at >= 0; at = bytes.indexOf('HTTP/1.1 ', at + 1))
    found.push(bytes.toString('latin1', at + 9, at + 12));
  return found;
};

/** One connection, from its beginning until either side closes it. */
const attack = ({ address, from, flood, target }: Flooding): Promise<void> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(address);
    const socket = connect({ port: Number(port), host: hostname, localAddress: from }).setNoDelay();
    const send = (): void => void socket.write(attackOf(flood, target));
    const stop = (): void => void socket.destroy();
    stopping.signal.addEventListener('abort', stop, { once: true });
    socket.once('connect', () => {
      send();
      if (flood === 'slow-bodies') dribble(socket);
      if (flood === 'unread') for (let sent = 1; sent < 16; sent += 1) send();
    });
    if (flood === 'unread') socket.pause();
    else
      socket.on('data', (data) => {
        const statuses = statusesIn(data);
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

const attacker = async (flooding: Flooding): Promise<void> => {
  while (!stopping.signal.aborted) {
    await attack(flooding);
    await sleep(AGAIN_MS);
  }
};

yieldToOthers();
process.once('disconnect', () => process.exit());
process.send?.('ready');
process.once('message', (flooding: Flooding) => {
  const all = Promise.all(Array.from({ length: flooding.connections }, () => attacker(flooding)));
  process.once('message', () => {
    stopping.abort();
    void all.then(() => process.send?.(answered));
  });
});
