import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import type { Costs } from './costs.ts';
import { PROCESSES } from './kinds.ts';
import { postgresCores } from './limits.ts';
import type { Profile } from './profile.ts';

const FOLDER = fileURLToPath(new URL('../../../deploy/kubernetes/', import.meta.url));
const GIB = 2 ** 30;

const Cluster = z.looseObject({
  spec: z.looseObject({
    storage: z.looseObject({ size: z.string().regex(/^\d+Gi$/) }),
    resources: z.looseObject({ requests: z.looseObject({ cpu: z.string() }) }),
  }),
});
const Autoscaler = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({ maxReplicas: z.int() }),
});
const Kustomization = z.looseObject({ components: z.array(z.string()).default([]) });

/** What an overlay of `deploy/kubernetes` has of each. */
interface Overlay {
  name: string;
  copies: (process: string) => number;
  cores: number;
  disk: number;
}

const read = (file: string): string => readFileSync(`${FOLDER}${file}`, 'utf8');
/** `2` or `250m`. */
const coresIn = (cpu: string): number => (cpu.endsWith('m') ? Number.parseInt(cpu, 10) / 1_000 : Number(cpu));

const overlay = (name: string): Overlay => {
  const { spec } = Cluster.parse(parse(read(`overlays/${name}/postgres.yaml`)));
  const { components } = Kustomization.parse(parse(read(`overlays/${name}/kustomization.yaml`)));
  const scaled = components.some((component) => component.endsWith('/autoscaling'))
    ? parseAllDocuments(read('components/autoscaling/autoscalers.yaml')).map((one) => Autoscaler.parse(one.toJS()))
    : [];
  const most = new Map(scaled.map(({ metadata, spec }) => [metadata.name, spec.maxReplicas]));
  return {
    name: `overlays/${name}`,
    copies: (process) => most.get(process) ?? 1,
    cores: coresIn(spec.resources.requests.cpu),
    disk: Number.parseInt(spec.storage.size, 10) * GIB,
  };
};

/** What an overlay as it stands is enough for: its copies, the cores Postgres is promised, and its disk after all years. */
export interface Fit {
  name: string;
  processes: number;
  postgres: number;
  disk: number;
}

export const fitsOf = (costs: Costs, profile: Profile): Fit[] =>
  ['small', 'large'].map(overlay).map(({ name, copies, cores, disk }) => ({
    name,
    processes: Math.min(...PROCESSES.map((process) => (copies(process) * profile.utilisation) / costs.cores[process])),
    postgres: (cores * profile.utilisation) / postgresCores(costs).all,
    disk: disk / Object.values(costs.disk).reduce((sum, bytes) => sum + bytes, 0),
  }));
