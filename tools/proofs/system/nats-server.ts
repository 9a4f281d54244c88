import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type LocalNats, startNats } from '@teaching/local/nats.ts';
import { freePort } from '@teaching/local/ports.ts';
import { copyFolder } from './copy-folder.ts';
import { holdsWithin, pause } from './poll.ts';
import type { Target } from './tcp-proxy.ts';

/** A nats-server of its own that can be treated badly. However often it is started, its port and store stay. */
export interface NatsServer {
  name: string;
  target: () => Target;
  url: () => string;
  /** Where its streams are kept. */
  store: string;
  start: () => Promise<void>;
  /** Stops and starts it, from now on with another program if one is given. */
  restart: (program?: string) => Promise<void>;
  /** Passwords that the next starts have instead; none: as usual. */
  changePasswords: (changed: Record<string, string>) => void;
  /** Has it read its configuration again, as `nats-server --signal reload` does. */
  reload: () => void;
  stop: () => Promise<void>;
  /** Stopped as the broker's chart and unit do it: it asks its clients to go first. False when it does not end in time. */
  retire: (within?: number) => Promise<boolean>;
  kill: () => Promise<void>;
  freeze: () => void;
  thaw: () => void;
  /** Deletes all streams, as a lost disk does, and starts empty. */
  loseStore: () => Promise<void>;
  copy: (name: string) => Promise<void>;
  putBack: (name: string) => Promise<void>;
}

const RETIRES_MS = 30_000;

export interface NatsServerOptions {
  dataDir: string;
  config: string;
  passwords: Record<string, string>;
  name?: string;
  /** A free one by default. */
  port?: number;
  /** Further flags. */
  flags?: readonly string[];
  /** Path of the nats-server to run, instead of the usual one. */
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
  /** How often it has said that it goes. */
  const retirements = (): number => readFileSync(join(dataDir, 'nats.log'), 'utf8').split('lame duck mode').length;
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
    restart: async (wanted) => {
      await stop();
      program = wanted ?? program;
      await start();
    },
    reload: () => server?.reload(),
    changePasswords: (wanted) => void (changed = wanted),
    stop,
    retire: async (within = RETIRES_MS) => {
      const exited = server?.exited.then(() => true);
      const before = retirements();
      server?.retire();
      // A pod gets the second signal while it goes. A server that has begun to go ignores it.
      await holdsWithin(() => retirements() > before, within);
      server?.signal('SIGTERM');
      const isGone = await Promise.race([exited, pause(within).then(() => false)]);
      if (isGone !== false) server = undefined;
      return isGone !== false;
    },
    kill,
    freeze: () => server?.signal('SIGSTOP'),
    thaw: () => server?.signal('SIGCONT'),
    loseStore: async () => {
      await kill();
      rmSync(store, { recursive: true, force: true });
      await start();
    },
    copy: async (copy) => {
      server?.signal('SIGSTOP');
      await copyFolder(store, copyOf(copy)).finally(() => server?.signal('SIGCONT'));
    },
    putBack: async (copy) => {
      await kill();
      await copyFolder(copyOf(copy), store);
      await start();
    },
  };
};
