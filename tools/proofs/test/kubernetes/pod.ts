import { z } from 'zod';

export const Strings = z.record(z.string(), z.string());
export const Labels = z.strictObject({
  'app.kubernetes.io/name': z.string(),
  'app.kubernetes.io/part-of': z.literal('teaching'),
});
const Port = z.union([z.int(), z.string()]);

const Items = z.array(z.strictObject({ key: z.string(), path: z.string() }));
const Volume = z.union([
  z.strictObject({ name: z.string(), emptyDir: z.strictObject({ sizeLimit: z.string() }) }),
  z.strictObject({
    name: z.string(),
    secret: z.strictObject({ secretName: z.string(), defaultMode: z.literal(0o440), items: Items }),
  }),
]);
const Probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: Port }),
  periodSeconds: z.int(),
  timeoutSeconds: z.int().optional(),
  failureThreshold: z.int(),
});

const Container = z.strictObject({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()),
  envFrom: z.array(z.strictObject({ configMapRef: z.strictObject({ name: z.string() }) })),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })).default([]),
  startupProbe: Probe.optional(),
  livenessProbe: Probe.optional(),
  readinessProbe: Probe.optional(),
  lifecycle: z
    .strictObject({ preStop: z.strictObject({ sleep: z.strictObject({ seconds: z.int().positive() }) }) })
    .optional(),
  resources: z.strictObject({
    requests: z.strictObject({ cpu: z.string(), memory: z.string() }),
    limits: z.strictObject({ memory: z.string() }),
  }),
  // Required by the level `restricted` of Pod Security, with a read-only file system.
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(
    z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.literal(true).optional() }),
  ),
});

export const Selector = z.strictObject({ matchLabels: Strings });
/** The pod template of our Deployments and Jobs. */
export const PodTemplate = z.strictObject({
  metadata: z.strictObject({ labels: Labels }),
  spec: z.strictObject({
    restartPolicy: z.literal('Never').optional(),
    serviceAccountName: z.string(),
    automountServiceAccountToken: z.literal(false),
    enableServiceLinks: z.literal(false),
    terminationGracePeriodSeconds: z.int(),
    topologySpreadConstraints: z
      .array(
        z.strictObject({
          topologyKey: z.enum(['kubernetes.io/hostname', 'topology.kubernetes.io/zone']),
          maxSkew: z.literal(1),
          whenUnsatisfiable: z.enum(['ScheduleAnyway', 'DoNotSchedule']),
          nodeTaintsPolicy: z.literal('Honor').optional(),
          labelSelector: Selector,
          matchLabelKeys: z.tuple([z.literal('pod-template-hash')]),
        }),
      )
      .default([]),
    securityContext: z.strictObject({
      runAsNonRoot: z.literal(true),
      runAsUser: z.literal(1000),
      runAsGroup: z.literal(1000),
      fsGroup: z.literal(1000),
      seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
    }),
    containers: z.tuple([Container]),
    volumes: z.array(Volume),
  }),
});
export type PodTemplate = z.output<typeof PodTemplate>;
