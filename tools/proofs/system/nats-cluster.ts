import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { freePort } from '@teaching/local/ports.ts';
import { logKindsOf } from '../../../libs/kit/src/log/source-term.ts';
import { natsPasswords, type Secrets, secretsIn, SERVICES } from '@teaching/local/secrets.ts';
import { createNatsServer, type NatsServer, type NatsServerOptions } from './nats-server.ts';
import { waitFor } from './poll.ts';

const CONFIG = fileURLToPath(new URL('../../../deploy/nats/nats.conf', import.meta.url));
const REQUEST_TIMEOUT_MS = 2_000;
const READY_TIMEOUT_MS = 60_000;

const routeUrl = (port: number): string => `nats://127.0.0.1:${port}`;

/**
 * Creates `size` nats-servers on the loopback address, with routes between them when there are several. Starts none.
 */
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

/** The addresses of the running servers, as a value of NATS_URL. */
export const urlsOf = (brokers: readonly NatsServer[]): string => brokers.flatMap((one) => one.url() || []).join(',');

/** Streams without a leader or with incomplete replicas. Rejects while no broker answers. */
export const incompleteStreams = async (urls: string, password: string): Promise<string[]> => {
  const servers = urls.split(',').map((url) => new URL(url).host);
  const admin = await connect({
    servers,
    user: 'admin',
    pass: password,
    timeout: REQUEST_TIMEOUT_MS,
    reconnect: false,
  });
  try {
    const domains = SERVICES.filter((service) => logKindsOf(service).length > 0);
    const listed = domains.map(async (domain) => {
      const manager = await jetstreamManager(admin, { domain, checkAPI: false, timeout: REQUEST_TIMEOUT_MS });
      return manager.streams.list().next();
    });
    const streams = (await Promise.all(listed)).flat();
    if (streams.length === 0) return ['there is no stream'];
    return streams.flatMap(({ cluster, config }) => {
      const current = cluster?.replicas?.filter((one) => one.current && !one.offline) ?? [];
      const isComplete = cluster?.leader !== undefined && current.length === config.num_replicas - 1;
      return isComplete
        ? []
        : [`${config.name}: leader ${cluster?.leader ?? 'none'}, ${current.length} other current replicas`];
    });
  } finally {
    await admin.close();
  }
};

export interface NatsCluster {
  nodes: readonly NatsServer[];
  /** Addresses of all servers, as a value of NATS_URL. */
  url: string;
  secrets: Secrets;
  /** Opens a connection of the operator in the account of the class service to any running server. */
  admin(): Promise<NatsConnection>;
  /** The server that leads this stream; `undefined` while there is no leader. */
  leaderOf(stream: string): Promise<NatsServer | undefined>;
  /** Retires a server as in an upgrade and starts it again. Resolves when it is a member of the cluster again. */
  replace(node: NatsServer): Promise<void>;
  stop(): Promise<void>;
}

interface ClusterOptions {
  /** Passwords of the users in deploy/nats/nats.conf; default new ones. */
  secrets?: Secrets;
  /** Path of the nats-server program; default the installed one. */
  program?: string;
}

/** Reconnects to another server when the current one enters lame duck mode. */
const leaveLameDuck = async (connection: NatsConnection): Promise<void> => {
  for await (const { type } of connection.status()) if (type === 'ldm') await connection.reconnect();
};

/** Whether the servers have formed a cluster with a leader. Before that no stream can be created. */
const isReady = async (connection: NatsConnection): Promise<boolean> => {
  const manager = await jetstreamManager(connection);
  await manager.streams.names().next();
  return true;
};

/** Starts a cluster of `size` nats-servers with the users of deploy/nats/nats.conf. */
export const startNatsCluster = async (size: number, options: ClusterOptions = {}): Promise<NatsCluster> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'teaching-cluster-'));
  const { secrets = secretsIn(dataDir), program } = options;
  const nodes = await createBrokers(size, { dataDir, config: CONFIG, passwords: natsPasswords(secrets), program });
  let watchingConnection: NatsConnection | undefined;
  const stop = async (): Promise<void> => {
    await watchingConnection?.close();
    await Promise.all(nodes.map((node) => node.kill()));
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
    const servers = nodes.map((node) => new URL(node.url()).host);
    const login = { user: 'admin_clazz', pass: secrets.nats.admin };
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
    watchingConnection = connection;
    void leaveLameDuck(connection);
    await waitFor('the cluster is ready', () => isReady(connection), READY_TIMEOUT_MS);
    return {
      nodes,
      url: urlsOf(nodes),
      secrets,
      admin,
      leaderOf: async (stream) => {
        const manager = await jetstreamManager(connection, { checkAPI: false });
        const info = await manager.streams.info(stream).catch(() => undefined);
        return nodes.find(({ name }) => name === info?.cluster?.leader);
      },
      replace: async (node) => {
        await node.retire();
        await node.restart();
        await waitFor('the server is a member of the cluster again', () => isMember(node), READY_TIMEOUT_MS);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
