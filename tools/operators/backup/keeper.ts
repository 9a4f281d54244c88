import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Archive, basesIn, checkWritable, claimArchive, makeFolders, recordUntil, untilOf } from './archive.ts';
import type { Programs } from './programs.ts';
import { type Receiver, setAside, startReceiver, storeArrived } from './receive.ts';
import type { Keys } from './encrypt.ts';
import { queryServer, dropSlot, makeSlot, type ServerState } from './server-state.ts';
import { takeBase, removeOldFiles } from './take-base.ts';
import { checkBase } from './verify.ts';
import type { Lsn } from './wal.rules.ts';

export interface KeeperOptions {
  archive: Archive;
  programs: Programs;
  keys: Keys;
  /** Number of base backups to keep. */
  keep: number;
  /** Milliseconds between two base backups. */
  every_ms: number;
  /** Milliseconds between two checks. */
  look_ms: number;
  /** Whether each new base backup is unpacked and compared with its manifest. */
  verify: boolean;
  log: Log;
}

export type Log = (level: 'info' | 'warn' | 'error', msg: string, more?: Readonly<Record<string, unknown>>) => void;

/** The parts that can fail independently. */
export const DUTIES = ['archive', 'server', 'log', 'store', 'base', 'verify'] as const;
export type Duty = (typeof DUTIES)[number];

/** The state of the archive, for metrics and health reports. */
export interface State {
  /** When this process began: missing base backups and log are counted from then on. */
  since: Date;
  base?: { finished_at: Date; bytes: number; count: number };
  verified_at?: Date;
  /** The archive has every commit before this instant. */
  until?: Date;
  /** Bytes that the server retains because the archive lacks them. */
  held: number;
  /** Bytes of the archive's disk. */
  room?: { free: number; size: number };
  trouble: ReadonlyMap<Duty, string>;
}

const AGAIN_MS = 300_000;

const wordsOf = (error: unknown): string => {
  const said = error instanceof Error ? error.message : String(error);
  return /ENOSPC|No space left on device/.test(said) ? `the disk of the archive is full: ${said}` : said;
};

const heldBack = ({ flushed, slot }: ServerState): number =>
  slot?.confirmed === undefined ? 0 : Math.max(0, Number(flushed - slot.confirmed));

/** Keeps an archive up to date until `signal` is aborted: receives the log, makes base backups, and removes old files. */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #trouble = new Map<Duty, string>();
  #receiver: Receiver | undefined;
  #isOpen = false;
  #state: Omit<State, 'trouble'> = { since: new Date(), held: 0 };
  /** The server's position at the last check, and the time of that check. */
  #seen: { flushed: Lsn; at: Date } | undefined;
  #timeline = 0;
  /** The base backup or verification in progress: one at a time, beside the checks. */
  #working: Promise<void> = Promise.resolve();
  #isWorking = false;
  #nextBase = 0;
  /** The newest base backup, and when it is verified next. */
  #newest: string | undefined;
  #nextVerify = Number.POSITIVE_INFINITY;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  get state(): State {
    return { ...this.#state, trouble: this.#trouble };
  }

  async #attempt(duty: Duty, work: () => Promise<void>): Promise<boolean> {
    const { log } = this.#options;
    try {
      await work();
      if (this.#trouble.delete(duty)) log('info', `${duty}: healthy again`);
      return true;
    } catch (error) {
      const why = wordsOf(error);
      if (this.#trouble.get(duty) !== why) log('error', `${duty}: ${why}`);
      this.#trouble.set(duty, why);
      return false;
    }
  }

  #startReceiver(): void {
    const { programs, archive, log } = this.#options;
    this.#receiver = startReceiver(programs, archive, (line) => {
      log('warn', line);
      this.#trouble.set('log', wordsOf(line));
    });
  }

  /** The archive's log cannot be continued: sets the received part aside and starts with a new base backup. */
  async #beginAnew(server: ServerState, why: string): Promise<void> {
    const { archive, programs, keys, log } = this.#options;
    log('warn', `${why}: a base backup is made now`);
    await this.#receiver?.stop();
    this.#receiver = undefined;
    await setAside(archive, server.segment_size, programs, keys);
    if (server.slot !== undefined) await dropSlot(programs);
    await makeSlot(programs);
    this.#nextBase = 0;
    this.#seen = undefined;
  }

  async #follow(server: ServerState): Promise<void> {
    const { slot, timeline } = server;
    if (slot === undefined) await this.#beginAnew(server, 'the server retains no log for this archive');
    else if (slot.isLost) await this.#beginAnew(server, 'the server no longer has the log that the archive lacks');
    else if (this.#timeline !== 0 && timeline !== this.#timeline) this.#nextBase = 0;
    this.#timeline = timeline;
    if (this.#receiver?.isRunning() !== true) this.#startReceiver();
  }

  /** Records that the archive has everything the server had written at the last check. */
  async #note({ flushed, at, slot }: ServerState): Promise<void> {
    const confirmed = slot?.confirmed;
    if (this.#seen !== undefined && confirmed !== undefined && confirmed >= this.#seen.flushed) {
      this.#state.until = this.#seen.at;
      this.#trouble.delete('log');
      await recordUntil(this.#options.archive, this.#seen.at);
      this.#seen = undefined;
    }
    this.#seen ??= { flushed, at };
  }

  async #base(server: ServerState): Promise<void> {
    const { archive, programs, keys, keep, log, every_ms } = this.#options;
    const isMade = await this.#attempt('base', async () => {
      const begun = Date.now();
      const { name, bytes } = await takeBase(archive, programs, keys);
      await removeOldFiles(archive, keep, server.segment_size);
      log('info', `base backup ${name}`, { bytes, ms: Date.now() - begun });
    });
    this.#nextBase = Date.now() + (isMade ? every_ms : Math.min(every_ms, AGAIN_MS));
  }

  /** A base backup that fails verification is verified again later. */
  async #verify(): Promise<void> {
    const { archive, programs, keys } = this.#options;
    const isSound = await this.#attempt('verify', async () => {
      const newest = (await basesIn(archive)).at(-1);
      if (newest === undefined) return;
      await checkBase(archive, newest, programs, keys);
      this.#state.verified_at = new Date();
    });
    this.#nextVerify = isSound ? Number.POSITIVE_INFINITY : Date.now() + AGAIN_MS;
  }

  async #countBases(): Promise<void> {
    const bases = await basesIn(this.#options.archive);
    const newest = bases.at(-1);
    if (newest === undefined) return;
    this.#state.base = { finished_at: newest.finished_at, bytes: newest.bytes, count: bases.length };
    if (newest.name !== this.#newest) this.#nextVerify = 0;
    this.#newest = newest.name;
  }

  /** Measures the disk of the archive, also while it is full. */
  async #measureRoom(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#options.archive.folder);
    this.#state.room = { free: bavail * bsize, size: blocks * bsize };
  }

  async #store(server: ServerState): Promise<void> {
    const { archive, programs, keys } = this.#options;
    await storeArrived(archive, server.segment_size, programs, keys);
    await this.#note(server);
    if (!this.#isWorking) await this.#countBases();
    if ((this.#state.room?.free ?? 0) < server.segment_size)
      throw new Error(`the disk of the archive is full: ${archive.folder} has no room for the next segment of the log`);
  }

  #begin(work: Promise<void>): void {
    this.#isWorking = true;
    this.#working = work.finally(() => {
      this.#isWorking = false;
    });
  }

  /**
   * Creates the folders of the archive and reads their content, once. A folder that disappears later is not created again, because
   * its disk is missing. Throws while one of them cannot be written.
   */
  async #open(): Promise<void> {
    const { archive, every_ms } = this.#options;
    if (!this.#isOpen) {
      await makeFolders(archive);
      await this.#countBases();
      // Base backups from before were verified before.
      this.#nextVerify = Number.POSITIVE_INFINITY;
      this.#state.until = await untilOf(archive);
      this.#nextBase = (this.#state.base?.finished_at.getTime() ?? 0) + every_ms;
      this.#isOpen = true;
    }
    await checkWritable(archive);
  }

  async #look(): Promise<void> {
    const { archive, programs, verify } = this.#options;
    const canWrite = await this.#attempt('archive', () => this.#open());
    // If the folder is missing, the reason of `archive` says so.
    await this.#measureRoom().catch(() => undefined);
    let server: ServerState | undefined;
    await this.#attempt('server', async () => {
      const found = await queryServer(programs);
      this.#state.held = heldBack(found);
      if (!canWrite) return;
      await claimArchive(archive, found);
      await this.#follow(found);
      server = found;
    });
    const now = server;
    if (now === undefined) return;
    await this.#attempt('store', () => this.#store(now));
    if (this.#isWorking) return;
    if (Date.now() >= this.#nextBase) this.#begin(this.#base(now));
    else if (verify && Date.now() >= this.#nextVerify) this.#begin(this.#verify());
  }

  async run(signal: AbortSignal): Promise<void> {
    const { look_ms } = this.#options;
    while (!signal.aborted) {
      await this.#look();
      await pause(look_ms, undefined, { signal }).catch(() => undefined);
    }
    // It waits for the log up to its end.
    await this.#working;
    await this.#receiver?.stop();
  }
}
