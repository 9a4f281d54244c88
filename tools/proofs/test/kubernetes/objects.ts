import { z } from 'zod';
import { Labels, PodTemplate, Selector, Strings } from './pod.ts';

const metadata = <T extends z.ZodType>(labels: T) =>
  z.strictObject({ name: z.string(), namespace: z.literal('teaching'), labels, annotations: Strings.optional() });
const ours = metadata(Labels);

const Deployment = z.strictObject({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('Deployment'),
  metadata: ours,
  spec: z.strictObject({
    replicas: z.int().optional(),
    revisionHistoryLimit: z.int(),
    strategy: z.strictObject({
      type: z.literal('RollingUpdate'),
      rollingUpdate: z.strictObject({ maxSurge: z.literal(1), maxUnavailable: z.literal(0) }),
    }),
    selector: Selector,
    template: PodTemplate,
  }),
});
const Job = z.strictObject({
  apiVersion: z.literal('batch/v1'),
  kind: z.literal('Job'),
  metadata: ours,
  spec: z.strictObject({ backoffLimit: z.int(), template: PodTemplate }),
});
const ServiceAccount = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('ServiceAccount'),
  metadata: ours,
  automountServiceAccountToken: z.literal(false),
});
const PodDisruptionBudget = z.strictObject({
  apiVersion: z.literal('policy/v1'),
  kind: z.literal('PodDisruptionBudget'),
  metadata: ours,
  spec: z.strictObject({
    maxUnavailable: z.literal(1),
    unhealthyPodEvictionPolicy: z.literal('AlwaysAllow'),
    selector: Selector,
  }),
});

const Peer = z.union([
  z.strictObject({
    podSelector: z.strictObject({
      matchLabels: Strings.default({}),
      matchExpressions: z
        .array(z.strictObject({ key: z.string(), operator: z.literal('In'), values: z.array(z.string()) }))
        .default([]),
    }),
  }),
  z.strictObject({ namespaceSelector: Selector }),
  z.strictObject({ ipBlock: z.strictObject({ cidr: z.string() }) }),
]);
export type Peer = z.output<typeof Peer>;
const Ports = z.array(z.strictObject({ port: z.int(), protocol: z.enum(['UDP', 'TCP']).default('TCP') }));
const NetworkPolicy = z.strictObject({
  apiVersion: z.literal('networking.k8s.io/v1'),
  kind: z.literal('NetworkPolicy'),
  metadata: metadata(Labels.partial({ 'app.kubernetes.io/name': true })),
  spec: z.strictObject({
    podSelector: z.strictObject({ matchLabels: Strings.default({}) }),
    policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
    ingress: z.array(z.strictObject({ from: z.array(Peer), ports: Ports })).default([]),
    egress: z.array(z.strictObject({ to: z.array(Peer), ports: Ports })).default([]),
  }),
});
export type NetworkPolicy = z.output<typeof NetworkPolicy>;

const ConfigMap = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('ConfigMap'),
  metadata: metadata(Strings.optional()),
  data: Strings,
});
const Namespace = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Namespace'),
  metadata: z.strictObject({
    name: z.literal('teaching'),
    labels: z.strictObject({
      'app.kubernetes.io/part-of': z.literal('teaching'),
      'pod-security.kubernetes.io/enforce': z.literal('restricted'),
      'pod-security.kubernetes.io/enforce-version': z.literal('latest'),
    }),
  }),
});
const Service = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Service'),
  metadata: ours,
  spec: z.strictObject({
    selector: Strings,
    ports: z.array(
      z.strictObject({ name: z.string(), port: z.int(), targetPort: z.string(), appProtocol: z.literal('http') }),
    ),
  }),
});
const Backend = z.strictObject({
  service: z.strictObject({ name: z.string(), port: z.strictObject({ name: z.string() }) }),
});
const Ingress = z.strictObject({
  apiVersion: z.literal('networking.k8s.io/v1'),
  kind: z.literal('Ingress'),
  metadata: ours,
  spec: z.strictObject({
    ingressClassName: z.string().optional(),
    tls: z.array(z.strictObject({ hosts: z.array(z.string()), secretName: z.string() })),
    rules: z.array(
      z.strictObject({
        host: z.string(),
        http: z.strictObject({
          paths: z.array(z.strictObject({ path: z.literal('/'), pathType: z.literal('Prefix'), backend: Backend })),
        }),
      }),
    ),
  }),
});
const PodMetric = z.strictObject({
  type: z.literal('Pods'),
  pods: z.strictObject({
    metric: z.strictObject({ name: z.string() }),
    target: z.strictObject({ type: z.literal('AverageValue'), averageValue: z.string() }),
  }),
});
const HorizontalPodAutoscaler = z.strictObject({
  apiVersion: z.literal('autoscaling/v2'),
  kind: z.literal('HorizontalPodAutoscaler'),
  metadata: ours,
  spec: z.strictObject({
    scaleTargetRef: z.strictObject({
      apiVersion: z.literal('apps/v1'),
      kind: z.literal('Deployment'),
      name: z.string(),
    }),
    minReplicas: z.int().min(2),
    maxReplicas: z.int(),
    metrics: z.array(PodMetric),
    behavior: z.strictObject({ scaleDown: z.strictObject({ stabilizationWindowSeconds: z.int() }) }),
  }),
});

/** Objects of CloudNativePG, the Prometheus operator and cert-manager. Their own definitions check their form. */
const Foreign = z.looseObject({
  apiVersion: z.enum([
    'postgresql.cnpg.io/v1',
    'barmancloud.cnpg.io/v1',
    'monitoring.coreos.com/v1',
    'cert-manager.io/v1',
  ]),
  kind: z.enum(['Cluster', 'ObjectStore', 'ScheduledBackup', 'PodMonitor', 'PrometheusRule', 'Issuer', 'Certificate']),
  metadata: ours,
  spec: z.record(z.string(), z.unknown()),
});

/**
 * The objects of deploy/kubernetes. The schemas contain only the used fields, so a misspelt or misplaced field is
 * refused.
 */
export const KubernetesObject = z.discriminatedUnion('kind', [
  Deployment,
  Job,
  ServiceAccount,
  PodDisruptionBudget,
  NetworkPolicy,
  ConfigMap,
  Namespace,
  Service,
  Ingress,
  HorizontalPodAutoscaler,
  Foreign,
]);
export type KubernetesObject = z.output<typeof KubernetesObject>;
