import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type LocalNats, startNats } from '@teaching/local/nats.ts';
import { copyFolder } from './copy-folder.ts';
import { pause } from './poll.ts';
import type { Target } from './tcp-proxy.ts';

/** A nats-server of its own that can be treated badly. */
export interface NatsServer {
  target: () => Target;
  url: () => string;
  start: () => Promise<void>;
  /** Passwords that the next starts have instead; none: as usual. */
  changePasswords: (changed: Record<string, string>) => void;
  /** Has it read its configuration again, as `nats-server --signal reload` does. */
  reload: () => void;
  stop: () => Promise<void>;
  /** Stopped as the broker's chart and unit do it: it asks its clients to go first. False when it does not end in time. */
  retire: (within: number) => Promise<boolean>;
  kill: () => Promise<void>;
  freeze: () => void;
  thaw: () => void;
  /** Deletes all streams, as a lost disk does, and starts empty. */
  loseStore: () => Promise<void>;
  copy: (name: string) => Promise<void>;
  putBack: (name: string) => Promise<void>;
}

/** Between the two signals of a pod that ends. */
const SECOND_SIGNAL_MS = 100;

export interface NatsServerOptions {
  dataDir: string;
  config: string;
  passwords: Record<string, string>;
  /** A free one at each start by default. */
  port?: number;
  /** Further flags. */
  flags?: readonly string[];
}

export const createNatsServer = ({ dataDir, config, passwords, port, flags }: NatsServerOptions): NatsServer => {
  const folder = join(dataDir, 'nats');
  const store = join(folder, 'jetstream');
  const copyOf = (name: string): string => join(dataDir, `nats-copy-${name}`);
  let server: LocalNats | undefined;
  let changed: Record<string, string> = {};

  const start = async (): Promise<void> => {
    if (server !== undefined) return;
    server = await startNats({ dataDir, config, env: { ...passwords, ...changed }, port, flags });
  };
  const kill = async (): Promise<void> => {
    await server?.kill();
    server = undefined;
  };

  return {
    target: () => ({ host: '127.0.0.1', port: server === undefined ? 1 : Number(new URL(server.url).port) }),
    url: () => server?.url ?? '',
    start,
    reload: () => server?.reload(),
    changePasswords: (wanted) => void (changed = wanted),
    stop: async () => {
      server?.signal('SIGCONT');
      await server?.stop();
      server = undefined;
    },
    retire: async (within) => {
      const exited = server?.exited.then(() => true);
      server?.retire();
      await pause(SECOND_SIGNAL_MS);
      // Who has begun to go takes no notice.
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
    copy: async (name) => {
      server?.signal('SIGSTOP');
      await copyFolder(store, copyOf(name)).finally(() => server?.signal('SIGCONT'));
    },
    putBack: async (name) => {
      await kill();
      await copyFolder(copyOf(name), store);
      await start();
    },
  };
};
