import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { freePort } from '@teaching/local/ports.ts';
import { natsPasswords, type Secrets, secretsIn } from '@teaching/local/secrets.ts';
import { createNatsServer, type NatsServer, type NatsServerOptions } from './nats-server.ts';
import { waitFor } from './poll.ts';

const CONFIG = fileURLToPath(new URL('../../../deploy/nats/nats.conf', import.meta.url));
const ASK_MS = 2_000;
const READY_MS = 60_000;

const routeUrl = (port: number): string => `nats://127.0.0.1:${port}`;

/** So many nats-servers on the loopback address, with routes between them if there are several; none runs yet. */
export const createBrokers = async (size: number, options: NatsServerOptions): Promise<NatsServer[]> => {
  if (size === 1) return [createNatsServer(options)];
  const ports = new Set<number>();
  while (ports.size < 2 * size) ports.add(await freePort());
  const all = [...ports];
  const routes = all.slice(size);
  return routes.map((route, index) => {
    const name = `n${index + 1}`;
    const others = routes.filter((port) => port !== route).map(routeUrl);
    const cluster = ['--cluster_name', 'teaching', '--cluster', routeUrl(route), '--routes', others.join(',')];
    const flags = ['--name', name, ...cluster];
    return createNatsServer({ ...options, name, dataDir: join(options.dataDir, name), port: all[index] ?? 0, flags });
  });
};

/** The addresses of those that run, as NATS_URL takes them. */
export const urlsOf = (brokers: readonly NatsServer[]): string => brokers.flatMap((one) => one.url() || []).join(',');

/** The streams without a leader, or that some of their replicas do not have all of. Rejects while no broker can say so. */
export const incompleteStreams = async (urls: string, password: string): Promise<string[]> => {
  const servers = urls.split(',').map((url) => new URL(url).host);
  const admin = await connect({ servers, user: 'admin', pass: password, timeout: ASK_MS, reconnect: false });
  try {
    const manager = await jetstreamManager(admin, { checkAPI: false, timeout: ASK_MS });
    const streams = await manager.streams.list().next();
    if (streams.length === 0) return ['no stream at all'];
    return streams.flatMap(({ cluster, config }) => {
      const current = cluster?.replicas?.filter((one) => one.current && !one.offline) ?? [];
      const isKept = cluster?.leader !== undefined && current.length === config.num_replicas - 1;
      return isKept ? [] : [`${config.name}, led by ${cluster?.leader ?? 'nobody'}, with ${current.length} others`];
    });
  } finally {
    await admin.close();
  }
};

export interface NatsCluster {
  nodes: readonly NatsServer[];
  /** All of them, as NATS_URL takes it. */
  url: string;
  secrets: Secrets;
  /** A connection of the user `admin`, to whichever server lives. */
  admin(): Promise<NatsConnection>;
  /** The server that leads this stream; undefined while none does. */
  leaderOf(stream: string): Promise<NatsServer | undefined>;
  /** Ends a server as for an upgrade and starts it again; resolves when it has found the others. */
  replace(node: NatsServer): Promise<void>;
  stop(): Promise<void>;
}

interface ClusterOptions {
  /** The passwords of deploy/nats/nats.conf's users; new ones by default. */
  secrets?: Secrets;
  /** Path of the nats-server to run, instead of the usual one. */
  program?: string;
}

/** Goes to another server when its own asks for it. */
const leaveInTime = async (connection: NatsConnection): Promise<void> => {
  for await (const { type } of connection.status()) if (type === 'ldm') await connection.reconnect();
};

/** Whether the servers have found each other and chosen who leads: until then no stream can be made. */
const isReady = async (connection: NatsConnection): Promise<boolean> => {
  const manager = await jetstreamManager(connection);
  await manager.streams.names().next();
  return true;
};

/** `size` nats-servers with the users of deploy/nats/nats.conf that run as a cluster. */
export const startNatsCluster = async (size: number, options: ClusterOptions = {}): Promise<NatsCluster> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'teaching-cluster-'));
  const { secrets = secretsIn(dataDir), program } = options;
  const nodes = await createBrokers(size, { dataDir, config: CONFIG, passwords: natsPasswords(secrets), program });
  let watching: NatsConnection | undefined;
  const stop = async (): Promise<void> => {
    await watching?.close();
    await Promise.all(nodes.map((node) => node.kill()));
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
    const servers = nodes.map((node) => new URL(node.url()).host);
    const login = { user: 'admin', pass: secrets.nats.admin };
    const admin = (): Promise<NatsConnection> => connect({ ...login, servers, maxReconnectAttempts: -1 });
    const isMember = async (node: NatsServer): Promise<boolean> => {
      const connected = await connect({ ...login, servers: new URL(node.url()).host });
      try {
        return await isReady(connected);
      } finally {
        await connected.close();
      }
    };
    const connection = await admin();
    watching = connection;
    void leaveInTime(connection);
    await waitFor('the cluster is ready', () => isReady(connection), READY_MS);
    return {
      nodes,
      url: urlsOf(nodes),
      secrets,
      admin,
      leaderOf: async (stream) => {
        const manager = await jetstreamManager(connection, { checkAPI: false });
        const found = await manager.streams.info(stream).catch(() => undefined);
        return nodes.find(({ name }) => name === found?.cluster?.leader);
      },
      replace: async (node) => {
        await node.retire();
        await node.restart();
        await waitFor('the server is one of the cluster again', () => isMember(node), READY_MS);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
