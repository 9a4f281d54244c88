import { fileURLToPath } from 'node:url';
import { SERVICES } from '@teaching/contracts';
import { KubernetesObject, type NetworkPolicy, type Peer } from './objects.ts';
import type { PodTemplate } from './pod.ts';
import { kustomize } from './kustomize.ts';

export const OVERLAYS = ['small', 'large'] as const;
export const KUBERNETES = fileURLToPath(new URL('../../../../deploy/kubernetes/', import.meta.url));

type Kind = KubernetesObject['kind'];
type Matching<Object, K> = Object extends { kind: infer Kinds } ? (K extends Kinds ? Object : never) : never;
/** One schema may cover several kinds. */
type OfKind<K extends Kind> = Matching<KubernetesObject, K>;

/** A Deployment, or the Job of the migration, that runs one of our processes. */
export interface Workload {
  name: string;
  template: PodTemplate;
  container: PodTemplate['spec']['containers'][0];
  /** The environment of the process; its secret files have their paths in the container. */
  env: Record<string, string>;
  /** Mounted files with the Secret and key of each. */
  files: ReadonlyMap<string, { secret: string; key: string }>;
}

/** All objects of an overlay, parsed. */
export class Overlay {
  readonly objects: readonly KubernetesObject[];

  constructor(overlay: string) {
    this.objects = kustomize(`${KUBERNETES}overlays/${overlay}`).map((one) => {
      const parsed = KubernetesObject.safeParse(one);
      if (!parsed.success) throw new Error(`${one.kind} ${one.metadata.name}: ${parsed.error.message}`);
      return parsed.data;
    });
  }

  all<K extends Kind>(kind: K): OfKind<K>[] {
    return this.objects.filter((one): one is OfKind<K> => one.kind === kind);
  }

  get workloads(): Workload[] {
    return [...this.all('Deployment'), ...this.all('Job')].map(({ metadata, spec: { template } }) => {
      const [container] = template.spec.containers;
      const settings = container.envFrom.flatMap(({ configMapRef }) =>
        Object.entries(this.#settings(configMapRef.name)),
      );
      const own = container.env.map(({ name, value }) => [name, value]);
      const env = Object.fromEntries([...settings, ...own]) as Record<string, string>;
      return { name: metadata.name, template, container, env, files: filesOf(template) };
    });
  }

  workload(name: string): Workload {
    const found = this.workloads.find((one) => one.name === name);
    if (found === undefined) throw new Error(`the overlay has no workload ${name}`);
    return found;
  }

  policy(name: string): NetworkPolicy | undefined {
    return this.all('NetworkPolicy').find(({ metadata }) => metadata.name === name);
  }

  /** The smallest and largest number of copies of a process, with the extra copy of a rolling update. */
  copies(name: string): { least: number; most: number } {
    const deployment = this.all('Deployment').find(({ metadata }) => metadata.name === name);
    const scaler = this.all('HorizontalPodAutoscaler').find(({ spec }) => spec.scaleTargetRef.name === name);
    const replicas = deployment?.spec.replicas ?? 1;
    const surge = deployment?.spec.strategy.rollingUpdate.maxSurge ?? 0;
    return { least: scaler?.spec.minReplicas ?? replicas, most: (scaler?.spec.maxReplicas ?? replicas) + surge };
  }

  #settings(name: string): Record<string, string> {
    const found = this.all('ConfigMap').find(({ metadata }) => metadata.name === name);
    if (found === undefined) throw new Error(`the overlay has no ConfigMap ${name}`);
    return found.data;
  }
}

const filesOf = ({ spec }: PodTemplate): Workload['files'] => {
  const [{ volumeMounts }] = spec.containers;
  return new Map(
    volumeMounts.flatMap(({ name, mountPath }) => {
      const volume = spec.volumes.find((one) => one.name === name);
      if (volume === undefined) throw new Error(`the pod has no volume ${name}`);
      if (!('secret' in volume)) return [];
      const { secretName: secret, items } = volume.secret;
      return items.map(({ key, path }) => [`${mountPath}/${path}`, { secret, key }] as const);
    }),
  );
};

/** Pods of other operators: the chart of the broker, and CloudNativePG. */
const PODS_OF_OTHERS = {
  nats: { 'app.kubernetes.io/name': 'nats', 'app.kubernetes.io/instance': 'nats' },
  postgres: { 'cnpg.io/cluster': 'teaching-db' },
};
export const PROCESSES = [...SERVICES, 'gateway', 'migrate'];

const fits = (wanted: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value);

/** The labels of the pods of the namespace, by name, as network policies select them. */
export const podsOf = (system: Overlay): ReadonlyMap<string, Readonly<Record<string, string>>> =>
  new Map<string, Record<string, string>>([
    ...system.workloads.map(({ name, template }) => [name, template.metadata.labels] as const),
    ...Object.entries(PODS_OF_OTHERS),
  ]);

export const selectPods = (system: Overlay, wanted: Readonly<Record<string, string>>): string[] =>
  [...podsOf(system)].flatMap(([name, labels]) => (fits(wanted, labels) ? [name] : []));

const peerNames = (system: Overlay, peer: Peer): string[] => {
  if ('ipBlock' in peer) return ['anywhere'];
  if ('namespaceSelector' in peer)
    return Object.entries(peer.namespaceSelector.matchLabels).map(([key, value]) => `namespace ${key}=${value}`);
  const { matchLabels, matchExpressions } = peer.podSelector;
  return [...podsOf(system)].flatMap(([name, labels]) =>
    fits(matchLabels, labels) && matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
      ? [name]
      : [],
  );
};

/** All connections that the policies allow, as `source -> target:port`. */
export const allowedConnections = (system: Overlay, direction: 'in' | 'out'): string[] => {
  const connections = system
    .all('NetworkPolicy')
    .flatMap(({ spec }: NetworkPolicy) =>
      selectPods(system, spec.podSelector.matchLabels).flatMap((pod) =>
        direction === 'in'
          ? spec.ingress.flatMap(({ from, ports }) =>
              from.flatMap((peer) =>
                peerNames(system, peer).flatMap((source) => ports.map(({ port }) => `${source} -> ${pod}:${port}`)),
              ),
            )
          : spec.egress.flatMap(({ to, ports }) =>
              to.flatMap((peer) =>
                peerNames(system, peer).flatMap((target) => ports.map(({ port }) => `${pod} -> ${target}:${port}`)),
              ),
            ),
      ),
    );
  return [...new Set(connections)].toSorted();
};
