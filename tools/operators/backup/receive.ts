import { existsSync } from 'node:fs';
import { copyFile, readdir, rename, rm } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Archive, walIn } from './archive.ts';
import { launch, type Programs } from './programs.ts';
import { endingFor, type Keys, flushToDisk, storeFile } from './encrypt.ts';
import { SLOT } from './server-state.ts';
import { nameOf, timelineOfHistory } from './wal.rules.ts';

export interface Receiver {
  /** Whether the program still runs. */
  isRunning: () => boolean;
  stop: () => Promise<void>;
}

/**
 * Starts pg_receivewal, which writes the log as it arrives and confirms it to the server. It ends when its connection is lost; the
 * caller starts it again, which reads the password again. `say` receives each line of its output.
 */
export const startReceiver = (programs: Programs, { incoming }: Archive, say: (line: string) => void): Receiver => {
  const args = [`--directory=${incoming}`, `--slot=${SLOT}`, '--synchronous', '--no-password', '--no-loop'];
  const child = launch(programs, 'pg_receivewal', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let isRunning = true;
  let last = '';
  if (child.stderr !== null)
    createInterface({ input: child.stderr }).on('line', (line) => {
      last = line.trim();
      say(last);
    });
  const gone = new Promise<void>((resolve) => {
    const end = (why: string): void => {
      if (isRunning) say(why);
      isRunning = false;
      resolve();
    };
    child.once('error', (error) => end(`pg_receivewal cannot be run: ${error.message}`));
    // The last line has the reason.
    child.once('close', (code, signal) => end(`pg_receivewal ended with ${code ?? signal}: ${last || 'no output'}`));
  });
  return {
    isRunning: () => isRunning,
    stop: async () => {
      child.kill('SIGINT');
      await gone;
    },
  };
};

/** Stores segments that arrived completely, oldest first. Returns their number. */
export const storeArrived = async (archive: Archive, size: number, programs: Programs, keys: Keys): Promise<number> => {
  const arrived = (await walIn(archive, size)).filter((one) => !one.isStored && !one.isPartial);
  for (const { path, segment } of arrived.toSorted((a, b) => a.segment.no - b.segment.no)) {
    await storeFile(programs, keys, createReadStream(path), join(archive.wal, nameOf(segment, size) + endingFor(keys)));
    await rm(path);
  }
  for (const file of await readdir(archive.incoming)) {
    if (timelineOfHistory(file) === undefined || existsSync(join(archive.wal, file))) continue;
    await copyFile(join(archive.incoming, file), join(archive.wal, `${file}.half`));
    await flushToDisk(join(archive.wal, `${file}.half`));
    await rename(join(archive.wal, `${file}.half`), join(archive.wal, file));
  }
  return arrived.length;
};

/**
 * Stores log that will not be continued, because the server changed its timeline or no longer has the next segment. The name of
 * a segment that was never filled shows this.
 */
export const setAside = async (archive: Archive, size: number, programs: Programs, keys: Keys): Promise<void> => {
  await storeArrived(archive, size, programs, keys);
  const left = (await walIn(archive, size)).filter((one) => !one.isStored && one.isPartial);
  for (const { path, segment } of left) {
    const to = join(archive.wal, `${nameOf(segment, size)}.partial${endingFor(keys)}`);
    await storeFile(programs, keys, createReadStream(path), to);
    await rm(path);
  }
  for (const file of await readdir(archive.incoming)) await rm(join(archive.incoming, file));
};
