import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig, serviceConfig } from '../../../../libs/kit/src/ops/config.ts';
import { connectionsOf } from '../../../../libs/kit/src/ops/instance-parts.ts';
import { series } from '../instruments.ts';
import { makeMounts, type Mounts } from './mounts.ts';
import { KUBERNETES, PROCESSES, OVERLAYS, Overlay, allowedConnections } from './workloads.ts';

let mounts: Mounts;
beforeAll(async () => {
  mounts = await makeMounts();
});
afterAll(() => mounts.remove());

const Database = z.looseObject({
  instances: z.int(),
  enableSuperuserAccess: z.literal(true),
  postgresql: z.looseObject({
    parameters: z.record(z.string(), z.string()),
    synchronous: z.looseObject({ number: z.int(), dataDurability: z.literal('required') }).optional(),
  }),
});
const databaseOf = (system: Overlay) => {
  const [one] = system.all('Cluster');
  return { name: one?.metadata.name, ...Database.parse(one?.spec) };
};

/** Connections of other clients: the migration, CloudNativePG, and those that Postgres reserves for superusers. */
const OTHERS = 20;
const DNS = 'namespace kubernetes.io/metadata.name=kube-system:53';
const portIn = (url: string | undefined): string => new URL(url ?? '').port;

describe.each(OVERLAYS)('The overlay %s', (overlay) => {
  const system = new Overlay(overlay);
  const isWatched = system.all('PodMonitor').length > 0;
  /** Connections of each process by its own configuration. */
  const configured = system.workloads.flatMap(({ name, env }) => [
    `${name} -> ${DNS}`,
    ...('NATS_URL' in env ? [`${name} -> nats:${portIn(env['NATS_URL'])}`] : []),
    ...['DATABASE_URL', 'DATABASE_ADMIN_URL']
      .filter((variable) => variable in env)
      .map((variable) => `${name} -> postgres:${portIn(env[variable])}`),
    ...('JWKS_URL' in env ? [`${name} -> anywhere:443`] : []),
  ]);
  const brokers = [`nats -> ${DNS}`, 'nats -> nats:6222'];
  const watched = isWatched ? PROCESSES.filter((name) => name !== 'migrate') : [];

  it('allows each process exactly the connections that its configuration names', () => {
    const traces = watched.map((name) => `${name} -> namespace teaching/monitoring=allowed:4318`);
    expect(allowedConnections(system, 'out')).toEqual([...configured, ...brokers, ...traces].toSorted());
    for (const name of PROCESSES) expect(system.policy(name)?.spec.policyTypes, name).toEqual(['Ingress', 'Egress']);
  });

  it('allows exactly these incoming connections', () => {
    const metrics = isWatched ? [...watched.map((name) => `${name}:9464`), 'nats:7777', 'postgres:9187'] : [];
    const operator = 'namespace kubernetes.io/metadata.name=cnpg-system';
    expect(allowedConnections(system, 'in')).toEqual(
      [
        ...[...configured, ...brokers].filter((way) => /-> (nats|postgres):/.test(way)),
        'namespace teaching/ingress=allowed -> gateway:8080',
        'postgres -> postgres:5432',
        'postgres -> postgres:8000',
        `${operator} -> postgres:5432`,
        `${operator} -> postgres:8000`,
        ...metrics.map((target) => `namespace teaching/monitoring=allowed -> ${target}`),
      ].toSorted(),
    );
    const denyAll = { podSelector: { matchLabels: {} }, policyTypes: ['Ingress'], ingress: [], egress: [] };
    expect(system.policy('nobody')?.spec).toEqual(denyAll);
  });

  it('opens at most as many connections as Postgres accepts, also with all copies', () => {
    const opened = SERVICES.map((name) => {
      const config = readConfig(serviceConfig, mounts.env(system.workload(name)));
      return connectionsOf(config) * system.copies(name).most;
    });
    const sum = opened.reduce((all, one) => all + one, OTHERS);
    expect(sum).toBeLessThanOrEqual(Number(databaseOf(system).postgresql.parameters['max_connections']));
  });

  it('uses the host name and the Secrets of its database cluster', () => {
    const { name } = databaseOf(system);
    for (const { env, files } of system.workloads) {
      const urls = Object.entries(env).filter(([variable]) => /DATABASE.*_URL$/.test(variable));
      expect(urls.map(([, url]) => new URL(url).hostname).filter((host) => host !== `${name}-rw`)).toEqual([]);
      for (const [, url] of urls) expect(new URL(url).searchParams.get('sslmode')).toBe('verify-full');
      const secrets = [...files.values()].map(({ secret }) => secret).filter((secret) => secret.includes('-db'));
      expect(secrets.filter((secret) => ![`${name}-superuser`, `${name}-ca`].includes(secret))).toEqual([]);
    }
  });

  it('publishes metrics on the port that is scraped', () => {
    for (const name of watched) {
      const { env, container } = system.workload(name);
      const port = container.ports.find((one) => one.name === 'metrics');
      expect(String(port?.containerPort)).toBe(env['METRICS_PORT']);
    }
  });
});

describe('The large overlay', () => {
  const system = new Overlay('large');

  it('has at least two copies of every process, spread over zones', () => {
    for (const name of [...SERVICES, 'gateway']) {
      expect(system.copies(name).least, name).toBeGreaterThanOrEqual(2);
      const spread = system.workload(name).template.spec.topologySpreadConstraints;
      expect(spread.find(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')?.topologyKey).toBe(
        'topology.kubernetes.io/zone',
      );
    }
    const { instances, postgresql } = databaseOf(system);
    expect([instances, postgresql.synchronous?.number]).toEqual([3, 1]);
    expect(system.workload('clazz').env['STREAM_REPLICAS']).toBe('3');
  });

  it('has autoscalers whose metrics exist', () => {
    const scalers = system.all('HorizontalPodAutoscaler');
    expect(scalers.map(({ spec }) => spec.scaleTargetRef.name).toSorted()).toEqual(['gateway', ...SERVICES].toSorted());
    // A Deployment with a number of replicas would undo the autoscaler at each `apply`.
    expect(system.all('Deployment').filter(({ spec }) => spec.replicas !== undefined)).toEqual([]);
    const adapter = readFileSync(join(KUBERNETES, 'components/autoscaling/adapter.yaml'), 'utf8');
    const { rules } = z
      .object({
        rules: z.looseObject({
          custom: z.array(
            z.looseObject({ seriesQuery: z.string(), name: z.object({ as: z.string() }), metricsQuery: z.string() }),
          ),
        }),
      })
      .parse(parse(adapter));
    const wanted = scalers.flatMap(({ spec }) => spec.metrics.map(({ pods }) => pods.metric.name));
    expect([...new Set(wanted)].toSorted()).toEqual(rules.custom.map(({ name }) => name.as).toSorted());
    const queries = rules.custom.flatMap(({ seriesQuery, metricsQuery }) => [seriesQuery, metricsQuery]).join('\n');
    const named = [...queries.matchAll(/\b(teaching_\w+)\b/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !series().has(name))).toEqual([]);
  });
});
