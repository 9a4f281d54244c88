import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type LocalNats, startNats } from '@teaching/local/nats.ts';
import { freePort } from '@teaching/local/ports.ts';
import { copyFolder } from './copy-folder.ts';
import { holdsWithin, pause } from './poll.ts';
import type { Target } from './tcp-proxy.ts';

/** A nats-server that a test can stop, kill and freeze. It keeps its port and store over all starts. */
export interface NatsServer {
  name: string;
  target: () => Target;
  url: () => string;
  /** Folder of its streams. */
  store: string;
  start: () => Promise<void>;
  /** Stops and starts it. `program` replaces the nats-server program from now on. */
  restart: (program?: string) => Promise<void>;
  /** Replaces these passwords in the next starts; `{}` restores the usual ones. */
  changePasswords: (changed: Record<string, string>) => void;
  /** Reloads the configuration, like `nats-server --signal reload`. */
  reload: () => void;
  stop: () => Promise<void>;
  /** Stops it in lame duck mode, like the chart and the systemd unit. False when it does not end within `within` ms. */
  retire: (within?: number) => Promise<boolean>;
  kill: () => Promise<void>;
  freeze: () => void;
  thaw: () => void;
  /** Deletes all streams, like a lost disk, and starts it empty. */
  deleteStore: () => Promise<void>;
  copy: (name: string) => Promise<void>;
  restoreCopy: (name: string) => Promise<void>;
}

const RETIRE_TIMEOUT_MS = 30_000;

export interface NatsServerOptions {
  dataDir: string;
  config: string;
  passwords: Record<string, string>;
  name?: string;
  /** Default: a free port. */
  port?: number;
  /** Additional command-line flags. */
  flags?: readonly string[];
  /** Path of the nats-server program; default the installed one. */
  program?: string | undefined;
}

export const createNatsServer = (options: NatsServerOptions): NatsServer => {
  const { dataDir, config, passwords, name = 'broker', flags } = options;
  const folder = join(dataDir, 'nats');
  const store = join(folder, 'jetstream');
  const copyOf = (copy: string): string => join(dataDir, `nats-copy-${copy}`);
  let { port, program } = options;
  let server: LocalNats | undefined;
  let changed: Record<string, string> = {};

  const start = async (): Promise<void> => {
    if (server !== undefined) return;
    port ??= await freePort();
    server = await startNats({ dataDir, config, env: { ...passwords, ...changed }, port, flags, program });
  };
  /** How often the log mentions lame duck mode. */
  const lameDuckMentions = (): number => readFileSync(join(dataDir, 'nats.log'), 'utf8').split('lame duck mode').length;
  const stop = async (): Promise<void> => {
    server?.signal('SIGCONT');
    await server?.stop();
    server = undefined;
  };
  const kill = async (): Promise<void> => {
    await server?.kill();
    server = undefined;
  };

  return {
    name,
    target: () => ({ host: '127.0.0.1', port: server === undefined ? 1 : (port ?? 1) }),
    url: () => (server === undefined ? '' : `nats://127.0.0.1:${port}`),
    store: folder,
    start,
    restart: async (newProgram) => {
      await stop();
      program = newProgram ?? program;
      await start();
    },
    reload: () => server?.reload(),
    changePasswords: (newPasswords) => void (changed = newPasswords),
    stop,
    retire: async (within = RETIRE_TIMEOUT_MS) => {
      const exited = server?.exited.then(() => true);
      const before = lameDuckMentions();
      server?.retire();
      // A pod receives SIGTERM as a second signal. A server in lame duck mode ignores it.
      await holdsWithin(() => lameDuckMentions() > before, within);
      server?.signal('SIGTERM');
      const hasExited = await Promise.race([exited, pause(within).then(() => false)]);
      if (hasExited !== false) server = undefined;
      return hasExited !== false;
    },
    kill,
    freeze: () => server?.signal('SIGSTOP'),
    thaw: () => server?.signal('SIGCONT'),
    deleteStore: async () => {
      await kill();
      rmSync(store, { recursive: true, force: true });
      await start();
    },
    copy: async (copy) => {
      server?.signal('SIGSTOP');
      await copyFolder(store, copyOf(copy)).finally(() => server?.signal('SIGCONT'));
    },
    restoreCopy: async (copy) => {
      await kill();
      await copyFolder(copyOf(copy), store);
      await start();
    },
  };
};
