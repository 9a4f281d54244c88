import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '@teaching/contracts';
import { STOP_MS } from '@teaching/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig, serviceConfig } from '../../../../libs/kit/src/ops/config.ts';
import { isSecret } from '../../../../libs/kit/src/ops/secret-variable.ts';
import { gatewayConfig } from '../../../../services/gateway/src/config.ts';
import { migrateConfig } from '../../../operators/migrate/config.ts';
import { MADE_BY_OTHERS, makeMounts, type Mounts } from './mounts.ts';
import { selectPods, KUBERNETES, PROCESSES, OVERLAYS, Overlay } from './workloads.ts';

const read = (file: string): string => readFileSync(join(KUBERNETES, '../..', file), 'utf8');
const Composed = z.looseObject({ command: z.unknown().optional(), secrets: z.array(z.string()).default([]) });
const composed = (file: string) =>
  z.looseObject({ services: z.record(z.string(), Composed) }).parse(parse(read(file), { merge: true })).services;

const configOf = (name: string): z.ZodObject => {
  if (name === 'gateway') return gatewayConfig;
  return name === 'migrate' ? migrateConfig : serviceConfig;
};

let mounts: Mounts;
beforeAll(async () => {
  mounts = await makeMounts();
});
afterAll(() => mounts.remove());

describe.each(OVERLAYS)('The overlay %s', (overlay) => {
  const system = new Overlay(overlay);

  it('has all processes, in the schema of Kubernetes', () => {
    expect(system.workloads.map(({ name }) => name).toSorted()).toEqual(PROCESSES.toSorted());
    for (const kind of ['ServiceAccount', 'NetworkPolicy'] as const)
      expect(system.all(kind).map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(PROCESSES));
    const budgets = system.all('PodDisruptionBudget').map(({ metadata }) => metadata.name);
    expect(budgets.toSorted()).toEqual(['gateway', ...SERVICES].toSorted());
  });

  it('selects the intended pods by labels', () => {
    for (const { metadata, spec } of system.all('Deployment')) {
      expect(selectPods(system, spec.selector.matchLabels)).toEqual([metadata.name]);
      for (const { labelSelector } of spec.template.spec.topologySpreadConstraints)
        expect(labelSelector).toEqual(spec.selector);
    }
    for (const { metadata, spec } of system.all('PodDisruptionBudget'))
      expect(selectPods(system, spec.selector.matchLabels)).toEqual([metadata.name]);
    for (const { spec } of system.all('Service')) expect(selectPods(system, spec.selector)).toEqual(['gateway']);
    for (const { metadata, spec } of system.all('NetworkPolicy').filter((one) => one.metadata.name !== 'nobody'))
      expect(selectPods(system, spec.podSelector.matchLabels)).toEqual([metadata.name]);
  });

  it('references only accounts, ports and services that exist', () => {
    for (const { name, template } of system.workloads) expect(template.spec.serviceAccountName).toBe(name);
    const [service] = system.all('Service');
    const port = service?.spec.ports[0];
    expect(system.workload('gateway').container.ports.map(({ name }) => name)).toContain(port?.targetPort);
    const backends = system.all('Ingress').flatMap(({ spec }) => spec.rules.flatMap(({ http }) => http.paths));
    expect(backends.map(({ backend }) => backend.service)).toEqual([
      { name: service?.metadata.name, port: { name: port?.name } },
    ]);
  });

  it.each(PROCESSES.filter((name) => name !== 'migrate'))('probes the health of %s on its health port', (name) => {
    const one = system.workload(name);
    const config = readConfig(configOf(name), mounts.env(one));
    const number = config[name === 'gateway' ? 'PORT' : 'HEALTH_PORT'];
    const port = one.container.ports.find(({ containerPort }) => containerPort === number)?.name;
    expect(port).toBeDefined();
    const { startupProbe, livenessProbe, readinessProbe } = one.container;
    expect([startupProbe, livenessProbe].map((probe) => probe?.httpGet)).toEqual(
      Array.from({ length: 2 }, () => ({ path: '/health/live', port })),
    );
    expect(readinessProbe?.httpGet).toEqual({ path: '/health/ready', port });
  });

  it.each(PROCESSES)('starts %s with variables that it knows and accepts', (name) => {
    const one = system.workload(name);
    const config = configOf(name);
    // The migration gets the settings of the services and reads some of them.
    const shape = { ...config.shape, ...(name === 'migrate' ? serviceConfig.shape : {}) };
    const known = Object.entries(shape).flatMap(([variable, field]) =>
      isSecret(field) ? [variable, `${variable}_FILE`] : [variable],
    );
    const others = Object.keys(one.env).filter((variable) => !known.includes(variable));
    expect(others.filter((variable) => !variable.startsWith('OTEL_'))).toEqual([]);
    expect(() => readConfig(config, mounts.env(one))).not.toThrow();
  });

  it.each(PROCESSES)('gives %s the secrets that it reads as files, and no others', (name) => {
    const { env, files } = system.workload(name);
    const paths = [
      ...Object.values(env)
        .join('\n')
        .matchAll(/(?:^|=)(\/run\/[\w./-]+)/gm),
    ].map(([, path]) => path);
    expect([...new Set(paths)].toSorted()).toEqual([...files.keys()].toSorted());
    const known = [...mounts.made, ...MADE_BY_OTHERS];
    expect(
      [...files.values()].map(({ secret, key }) => `${secret} ${key}`).filter((one) => !known.includes(one)),
    ).toEqual([]);
    // Secret variables with a value are only addresses, without a password.
    const byValue = Object.entries(configOf(name).shape).filter(([one, field]) => isSecret(field) && one in env);
    for (const [variable] of byValue) expect(new URL(env[variable] ?? '').password).toBe('');
  });

  it.each(PROCESSES)('gives %s the same secrets and command as Compose', (name) => {
    const { files, container } = system.workload(name);
    const keys = [...files.values()].flatMap(({ secret, key }) => (secret === 'teaching' ? [key] : []));
    // CloudNativePG generates the password of Postgres.
    const secrets = composed('deploy/compose.secrets.yml')[name]?.secrets.filter((key) => key !== 'postgres');
    expect(keys.toSorted()).toEqual(secrets?.toSorted());
    expect(container.command).toEqual(composed('docker-compose.yml')[name]?.command);
  });

  it('runs one image, with the version of package.json', () => {
    const { version } = z.looseObject({ version: z.string() }).parse(JSON.parse(read('package.json')));
    expect([...new Set(system.workloads.map(({ container }) => container.image))]).toEqual([`teaching:${version}`]);
  });

  it.each(PROCESSES)('gives %s more time to stop than it needs', (name) => {
    const { template, container } = system.workload(name);
    const sleep_s = container.lifecycle?.preStop.sleep.seconds ?? 0;
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(sleep_s + STOP_MS / 1_000);
    // Requests arrive until the endpoints are updated. Calls over the bus end with the heartbeat.
    expect(sleep_s > 0).toBe(name === 'gateway');
  });
});

it('has four services that differ only in their names', () => {
  const of = (name: string): string => read(`deploy/kubernetes/base/${name}.yaml`).replace(/^#.*\n/, '');
  const asClazz = (text: string, name: string): string =>
    text.replaceAll(new RegExp(`(?<![a-z])${name}(?![a-z])`, 'g'), 'clazz');
  for (const name of SERVICES) expect(asClazz(of(name), name)).toBe(of('clazz'));
});
