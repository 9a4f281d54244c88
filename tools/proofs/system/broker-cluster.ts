import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { freePort } from '@teaching/local/ports.ts';

const ASK_MS = 2_000;

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
  while (ports.size < 2 * size) ports.add(await freePort());
  const all = [...ports];
  const routes = all.slice(size);
  return routes.map((route, index) => {
    const name = `n${index + 1}`;
    const others = routes.filter((port) => port !== route).map(routeUrl);
    const cluster = ['--cluster_name', 'teaching', '--cluster', routeUrl(route), '--routes', others.join(',')];
    return { name, port: all[index] ?? 0, flags: ['--name', name, ...cluster] };
  });
};

/** The streams that are not led by somebody, or that not all who keep them have all of. Rejects while nobody can say so. */
export const notKept = async (urls: string, password: string): Promise<string[]> => {
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
