import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { portProblem } from '@teaching/local/ports.ts';

/** Below the ports that connections are made from, which would take a free one before the server does. */
const [LOWEST, HIGHEST] = [20_000, 32_000];
const ASK_MS = 2_000;

const fixedPort = async (): Promise<number> => {
  const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
  return (await portProblem(port, '127.0.0.1')) === undefined ? port : fixedPort();
};

const routeUrl = (port: number): string => `nats://127.0.0.1:${port}`;

/** Where one server of a cluster stands; it keeps its place, however often it is started. */
export interface Place {
  name: string;
  /** Where clients find it. */
  port: number;
  /** What deploy/nats/nats.conf leaves to the place it stands at. */
  flags: string[];
}

/** Places for so many servers on the loopback address, with routes between them. */
export const placesFor = async (size: number): Promise<Place[]> => {
  const ports = new Set<number>();
  while (ports.size < 2 * size) ports.add(await fixedPort());
  const all = [...ports];
  const routes = all.slice(size);
  return routes.map((route, index) => {
    const name = `n${index + 1}`;
    const others = routes.filter((port) => port !== route).map(routeUrl);
    const cluster = ['--cluster_name', 'teaching', '--cluster', routeUrl(route), '--routes', others.join(',')];
    return { name, port: all[index] ?? 0, flags: ['--name', name, ...cluster] };
  });
};

/** Whether every stream is led by somebody and all who keep it have all of it. Rejects while nobody can say so. */
export const keepAll = async (urls: string, password: string): Promise<boolean> => {
  const servers = urls.split(',').map((url) => new URL(url).host);
  const admin = await connect({ servers, user: 'admin', pass: password, timeout: ASK_MS, reconnect: false });
  try {
    const manager = await jetstreamManager(admin, { checkAPI: false, timeout: ASK_MS });
    const streams = await manager.streams.list().next();
    return (
      streams.length > 0 &&
      streams.every(({ cluster, config }) => {
        const current = cluster?.replicas?.filter((one) => one.current && !one.offline) ?? [];
        return cluster?.leader !== undefined && current.length === config.num_replicas - 1;
      })
    );
  } finally {
    await admin.close();
  }
};
