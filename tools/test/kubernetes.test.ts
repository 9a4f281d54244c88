import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVICES } from '@teaching/contracts';
import { STOP_MS } from '@teaching/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig, serviceConfig } from '../../libs/kit/src/ops/config.ts';
import { connectionsOf } from '../../libs/kit/src/ops/parts.ts';
import { isSecret } from '../../libs/kit/src/ops/secret-variable.ts';
import { gatewayConfig } from '../../services/gateway/src/config.ts';
import { migrateConfig } from '../migrate/config.ts';
import { chosenBy, OURS, System, waysOf, type Workload } from './kubernetes/system.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
/** Of CloudNativePG, for the cluster `teaching-db`: who prepares the database, and whom its certificate is signed by. */
const MADE_BY_OTHERS = ['teaching-db-superuser password', 'teaching-db-ca ca.crt', 'nats-ca ca.crt'];

const configs = { gateway: gatewayConfig, migrate: migrateConfig };
const configOf = (name: string): z.ZodObject =>
  name === 'gateway' || name === 'migrate' ? configs[name] : serviceConfig;

const folder = mkdtempSync(join(tmpdir(), 'teaching-kubernetes-'));
const secrets = join(folder, 'secrets');
beforeAll(() => {
  execFileSync(process.execPath, [join(ROOT, 'tools/secret-files.ts'), secrets]);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The files of a container, under a folder of this test; the certificate is read when a connection is made. */
const mounted = ({ name, env, files }: Workload): Record<string, string> => {
  for (const [path, { secret, key }] of files) {
    const target = join(folder, name, path);
    mkdirSync(dirname(target), { recursive: true });
    const content = secret === 'teaching' ? readFileSync(join(secrets, key), 'utf8') : `${'x'.repeat(20)}\n`;
    writeFileSync(target, content);
  }
  return Object.fromEntries(
    Object.entries(env).map(([variable, value]) => [
      variable,
      value.replace(/(^|=)(?=\/run\/)/, `$1${join(folder, name)}`),
    ]),
  );
};

describe.each(['small'])('the overlay %s', (overlay) => {
  const system = new System(overlay);

  it('has all of ours, in the form that Kubernetes knows', () => {
    expect(system.workloads.map(({ name }) => name).toSorted()).toEqual(OURS.toSorted());
    for (const kind of ['ServiceAccount', 'NetworkPolicy'] as const)
      expect(system.all(kind).map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(OURS));
    const kept = system.all('PodDisruptionBudget').map(({ metadata }) => metadata.name);
    expect(kept.toSorted()).toEqual(['gateway', ...SERVICES].toSorted());
  });

  it('chooses by labels what is meant', () => {
    for (const { metadata, spec } of system.all('Deployment')) {
      expect(chosenBy(system, spec.selector.matchLabels)).toEqual([metadata.name]);
      for (const { labelSelector } of spec.template.spec.topologySpreadConstraints)
        expect(labelSelector).toEqual(spec.selector);
    }
    for (const { metadata, spec } of system.all('PodDisruptionBudget'))
      expect(chosenBy(system, spec.selector.matchLabels)).toEqual([metadata.name]);
    for (const { spec } of system.all('Service')) expect(chosenBy(system, spec.selector)).toEqual(['gateway']);
    for (const { metadata, spec } of system.all('NetworkPolicy').filter((one) => one.metadata.name !== 'nobody'))
      expect(chosenBy(system, spec.podSelector.matchLabels), metadata.name).toHaveLength(1);
  });

  it('names only what is there: accounts, ports, services', () => {
    for (const { name, template } of system.workloads) expect(template.spec.serviceAccountName).toBe(name);
    const ports = system.workload('gateway').container.ports.map(({ name }) => name);
    const [service] = system.all('Service');
    expect(ports).toContain(service?.spec.ports[0]?.targetPort);
    const backends = system.all('Ingress').flatMap(({ spec }) => spec.rules.flatMap(({ http }) => http.paths));
    expect(backends.map(({ backend }) => backend.service)).toEqual([
      { name: service?.metadata.name, port: { name: service?.spec.ports[0]?.name } },
    ]);
  });

  it('asks each process how it is, where it says so', () => {
    for (const { name, container, env } of system.workloads.filter((one) => one.name !== 'migrate')) {
      const config = readConfig(configOf(name), mounted(system.workload(name)));
      const port = container.ports.find(
        ({ containerPort }) => containerPort === config[name === 'gateway' ? 'PORT' : 'HEALTH_PORT'],
      );
      expect(port, `${name} ${JSON.stringify(env)}`).toBeDefined();
      for (const [probe, path] of [
        [container.startupProbe, '/health/live'],
        [container.livenessProbe, '/health/live'],
        [container.readinessProbe, '/health/ready'],
      ] as const)
        expect(probe?.httpGet).toEqual({ path, port: port?.name });
    }
  });

  it.each(OURS)('starts %s with variables that it knows, and takes', (name) => {
    const one = system.workload(name);
    const config = configOf(name);
    const shape = { ...config.shape, ...(name === 'migrate' ? serviceConfig.shape : {}) };
    const known = Object.entries(shape).flatMap(([variable, field]) => [
      variable,
      ...(isSecret(field) ? [`${variable}_FILE`] : []),
    ]);
    const unknown = Object.keys(one.env).filter(
      (variable) => !known.includes(variable) && !variable.startsWith('OTEL_'),
    );
    expect(unknown).toEqual([]);
    expect(() => readConfig(config, mounted(one))).not.toThrow();
  });

  it.each(OURS)('gives %s the secrets it reads, by files, and no other', (name) => {
    const { env, files } = system.workload(name);
    const text = Object.values(env).join('\n');
    const named = [...text.matchAll(/(?:^|=)(\/run\/[\w./-]+)/gm)].map(([, path]) => path);
    expect([...new Set(named)].toSorted()).toEqual([...files.keys()].toSorted());
    const made = readdirSync(secrets).map((file) => `teaching ${file}`);
    const taken = [...files.values()].map(({ secret, key }) => `${secret} ${key}`);
    expect(taken.filter((one) => !made.includes(one) && !MADE_BY_OTHERS.includes(one))).toEqual([]);
    // By value there is none, and none stands in a URL.
    const byValue = Object.entries(configOf(name).shape).filter(
      ([variable, field]) => isSecret(field) && variable in env,
    );
    for (const [variable] of byValue) expect(new URL(env[variable] ?? '').password).toBe('');
  });

  it('gives each the secrets that Compose gives it', () => {
    const { services } = z
      .looseObject({ services: z.record(z.string(), z.looseObject({ secrets: z.array(z.string()) })) })
      .parse(parse(read('deploy/compose.secrets.yml')));
    for (const name of OURS) {
      const keys = [...system.workload(name).files.values()].flatMap(({ secret, key }) =>
        secret === 'teaching' ? [key] : [],
      );
      const given = services[name]?.secrets.filter((key) => key !== 'postgres');
      expect(keys.toSorted(), name).toEqual(given?.toSorted());
    }
  });

  it('starts each by the command that Compose has', () => {
    const { services } = z
      .looseObject({ services: z.record(z.string(), z.looseObject({ command: z.unknown().optional() })) })
      .parse(parse(read('docker-compose.yml'), { merge: true }));
    for (const { name, container } of system.workloads) expect(container.command).toEqual(services[name]?.command);
    const images = new Set(system.workloads.map(({ container }) => container.image));
    const { version } = z.looseObject({ version: z.string() }).parse(JSON.parse(read('package.json')));
    expect([...images]).toEqual([`teaching:${version}`]);
  });

  it('lets each have longer to stop than it takes', () => {
    for (const { name, template, container } of system.workloads) {
      const before_s = container.lifecycle?.preStop.sleep.seconds ?? 0;
      expect(template.spec.terminationGracePeriodSeconds, name).toBeGreaterThan(before_s + STOP_MS / 1_000);
    }
    // Requests come until the endpoint is gone everywhere.
    expect(system.workload('gateway').container.lifecycle?.preStop.sleep.seconds).toBeGreaterThanOrEqual(5);
  });

  it('opens fewer connections than Postgres takes, however many copies there are', () => {
    const [database] = system.all('Cluster');
    const { postgresql } = z
      .looseObject({ postgresql: z.looseObject({ parameters: z.record(z.string(), z.string()) }) })
      .parse(database?.spec);
    const wanted = SERVICES.map((name) => {
      const config = readConfig(serviceConfig, mounted(system.workload(name)));
      return connectionsOf(config) * system.copies(name).most;
    });
    // For the migration, CloudNativePG itself, and three that Postgres keeps for superusers.
    const others = 20;
    const sum = wanted.reduce((all, one) => all + one, others);
    expect(sum).toBeLessThanOrEqual(Number(postgresql.parameters['max_connections']));
  });

  it('lets through what configuration and contracts need, and nothing else', () => {
    const DNS = 'namespace kubernetes.io/metadata.name=kube-system:53';
    const asked = system.workloads.flatMap(({ name, env }) => [
      `${name} -> ${DNS}`,
      ...('NATS_URL' in env ? [`${name} -> nats:${new URL(env['NATS_URL'] ?? '').port}`] : []),
      ...['DATABASE_URL', 'DATABASE_ADMIN_URL']
        .filter((variable) => variable in env)
        .map((variable) => `${name} -> postgres:${new URL(env[variable] ?? '').port}`),
      ...('JWKS_URL' in env ? [`${name} -> anywhere:443`] : []),
    ]);
    const engines = [`nats -> ${DNS}`, 'nats -> nats:6222'];
    const isWatched = system.all('PodMonitor').length > 0;
    const told = isWatched
      ? OURS.filter((one) => one !== 'migrate').map((one) => `${one} -> namespace teaching/monitoring=allowed:4318`)
      : [];
    expect(waysOf(system, 'out')).toEqual([...asked, ...engines, ...told].toSorted());

    const among = [...asked, ...engines].filter((way) => /-> (nats|postgres):/.test(way));
    const operator = 'namespace kubernetes.io/metadata.name=cnpg-system';
    const watched = isWatched
      ? [...OURS.filter((one) => one !== 'migrate').map((one) => `${one}:9464`), 'nats:7777', 'postgres:9187']
      : [];
    expect(waysOf(system, 'in')).toEqual(
      [
        ...among,
        'namespace teaching/ingress=allowed -> gateway:8080',
        'postgres -> postgres:5432',
        'postgres -> postgres:8000',
        `${operator} -> postgres:5432`,
        `${operator} -> postgres:8000`,
        ...watched.map((whom) => `namespace teaching/monitoring=allowed -> ${whom}`),
      ].toSorted(),
    );
    // Who is not named is spoken to by nobody, and of our own, none speaks but where it is let.
    const policies = system.all('NetworkPolicy');
    const nobody = policies.find(({ metadata }) => metadata.name === 'nobody');
    expect(nobody?.spec).toEqual({
      podSelector: { matchLabels: {} },
      policyTypes: ['Ingress'],
      ingress: [],
      egress: [],
    });
    for (const name of OURS)
      expect(policies.find(({ metadata }) => metadata.name === name)?.spec.policyTypes).toEqual(['Ingress', 'Egress']);
  });

  it('finds the database by the name and the Secrets of its cluster', () => {
    const [database] = system.all('Cluster');
    const cluster = database?.metadata.name;
    for (const { env, files } of system.workloads) {
      const hosts = Object.entries(env).flatMap(([name, value]) =>
        /DATABASE.*_URL$/.test(name) ? [new URL(value).hostname] : [],
      );
      expect(hosts.filter((host) => host !== `${cluster}-rw`)).toEqual([]);
      const others = [...files.values()].map(({ secret }) => secret).filter((secret) => secret.includes('-db'));
      expect(others.filter((secret) => ![`${cluster}-superuser`, `${cluster}-ca`].includes(secret))).toEqual([]);
    }
    expect(database?.spec['enableSuperuserAccess']).toBe(true);
  });
});

it('has four services that differ in their names alone', () => {
  const of = (name: string): string => read(`deploy/kubernetes/base/${name}.yaml`).replace(/^#.*\n/, '');
  for (const name of SERVICES.filter((one) => one !== 'clazz'))
    expect(
      of(name).replaceAll(name === 'package' ? /\bpackage(?=\b|_)|(?<=_)package\b/g : new RegExp(name, 'g'), 'clazz'),
    ).toBe(of('clazz'));
});
