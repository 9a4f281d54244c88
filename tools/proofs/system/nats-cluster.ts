import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type LocalNats, startNats } from '@teaching/local/nats.ts';
import { natsPasswords, type Secrets, secretsIn } from '@teaching/local/secrets.ts';
import { type Place, placesFor } from './broker-cluster.ts';

const CONFIG = fileURLToPath(new URL('../../../deploy/nats/nats.conf', import.meta.url));
const READY_MS = 30_000;

/** One server of a cluster. Stopped or killed, it keeps its place, its port and its store. */
export interface ClusterNode {
  name: string;
  url: string;
  stop(): Promise<void>;
  /** As a power cut would. */
  kill(): Promise<void>;
  /** Asks its clients to go elsewhere, and resolves when it ended. */
  retire(): Promise<void>;
  restart(): Promise<void>;
  /** It takes what is sent, and says nothing. */
  freeze(): void;
  thaw(): void;
}

export interface NatsCluster {
  nodes: readonly ClusterNode[];
  /** All of them, as NATS_URL takes it. */
  url: string;
  secrets: Secrets;
  /** A connection of the user `admin`, to whichever server lives. */
  admin(): Promise<NatsConnection>;
  /** The server that leads this stream; undefined while none does. */
  leaderOf(stream: string): Promise<ClusterNode | undefined>;
  stop(): Promise<void>;
}

interface ClusterOptions {
  /** The passwords of deploy/nats/nats.conf's users; new ones by default. */
  secrets?: Secrets;
  /** Path of the nats-server to run, instead of the usual one. */
  program?: string;
}

const startNode = async (
  { name, ...place }: Place,
  folder: string,
  env: Record<string, string>,
  program?: string,
): Promise<ClusterNode> => {
  const start = (): Promise<LocalNats> =>
    startNats({ dataDir: join(folder, name), config: CONFIG, env, program, ...place });
  let server = await start();
  return {
    name,
    url: server.url,
    stop: () => server.stop(),
    kill: () => server.kill(),
    retire: () => {
      server.retire();
      return server.exited;
    },
    restart: async () => {
      await server.stop();
      server = await start();
    },
    freeze: () => server.signal('SIGSTOP'),
    thaw: () => server.signal('SIGCONT'),
  };
};

/** Goes to another server when its own asks for it. */
const leaveInTime = async (connection: NatsConnection): Promise<void> => {
  for await (const { type } of connection.status()) if (type === 'ldm') await connection.reconnect();
};

/** The servers take a moment to find each other and to choose who leads: until then no stream can be made. */
const ready = async (connection: NatsConnection): Promise<void> => {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const refused = await jetstreamManager(connection)
      .then((manager) => manager.streams.names().next())
      .then(() => undefined)
      .catch((error: unknown) => error);
    if (refused === undefined) return;
    if (Date.now() > deadline) throw new Error('the cluster has not become ready', { cause: refused });
    await sleep(50);
  }
};

/** All of them or none: a port may be taken by somebody else in the last moment, then others are tried. */
const startNodes = async (
  folder: string,
  size: number,
  env: Record<string, string>,
  program: string | undefined,
  tries = 3,
): Promise<ClusterNode[]> => {
  const places = await placesFor(size);
  const starts = await Promise.allSettled(places.map((place) => startNode(place, folder, env, program)));
  const nodes = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failed = starts.find((start) => start.status === 'rejected');
  if (failed === undefined) return nodes;
  await Promise.all(nodes.map((node) => node.stop()));
  if (tries <= 1) throw failed.reason;
  return startNodes(folder, size, env, program, tries - 1);
};

/** `size` nats-servers on free ports of the loopback address, with routes between them and the users of deploy/nats/nats.conf. */
export const startNatsCluster = async (size: number, options: ClusterOptions = {}): Promise<NatsCluster> => {
  const folder = mkdtempSync(join(tmpdir(), 'teaching-cluster-'));
  const secrets = options.secrets ?? secretsIn(folder);
  const nodes = await startNodes(folder, size, natsPasswords(secrets), options.program);
  const servers = nodes.map(({ url }) => new URL(url).host);
  const admin = (): Promise<NatsConnection> =>
    connect({ servers, user: 'admin', pass: secrets.nats.admin, maxReconnectAttempts: -1 });
  const watching = await admin();
  void leaveInTime(watching);
  const stop = async (): Promise<void> => {
    await watching.close();
    await Promise.all(nodes.map((node) => node.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  await ready(watching).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    nodes,
    url: nodes.map(({ url }) => url).join(','),
    secrets,
    admin,
    leaderOf: async (stream) => {
      const manager = await jetstreamManager(watching, { checkAPI: false });
      const found = await manager.streams.info(stream).catch(() => undefined);
      return nodes.find(({ name }) => name === found?.cluster?.leader);
    },
    stop,
  };
};
