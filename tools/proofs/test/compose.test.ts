import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SERVICES } from '@teaching/contracts';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { serviceConfig } from '../../../libs/kit/src/ops/config.ts';
import { isSecret } from '../../../libs/kit/src/ops/secret-variable.ts';
import { gatewayConfig } from '../../../services/gateway/src/config.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8');

const Service = z.looseObject({
  image: z.string(),
  build: z.unknown().optional(),
  profiles: z.array(z.string()).default([]),
  mem_limit: z.string().optional(),
  restart: z.string().optional(),
  logging: z.object({ driver: z.string(), options: z.record(z.string(), z.string()) }).optional(),
  ports: z.array(z.string()).default([]),
  networks: z.array(z.string()).default(['default']),
  volumes: z.array(z.string()).default([]),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string().nullable()).default({}),
  healthcheck: z.looseObject({ test: z.array(z.string()).optional() }).optional(),
});
const compose = z
  .looseObject({ services: z.record(z.string(), Service), volumes: z.record(z.string(), z.unknown()) })
  .parse(parse(read('docker-compose.yml'), { merge: true }));
const entries = Object.entries(compose.services);
const backup = z
  .looseObject({ services: z.record(z.string(), Service.partial()) })
  .parse(parse(read('deploy/backup/compose.yml'), { merge: true })).services;
const named = (name: string) => Service.parse(compose.services[name]);
const namesOf = (matches: (service: z.output<typeof Service>) => boolean): string[] =>
  entries.flatMap(([name, service]) => (matches(service) ? [name] : []));

it('limits the memory and the log size of every service', () => {
  expect(namesOf(({ mem_limit }) => mem_limit === undefined)).toEqual([]);
  expect(namesOf(({ logging }) => !logging?.options['max-size'] || !logging.options['max-file'])).toEqual([]);
  expect(namesOf(({ restart }) => restart !== 'unless-stopped')).toEqual(['migrate']);
  for (const name of ['backup', 'restore'])
    expect(backup[name], name).toMatchObject({ mem_limit: expect.any(String), logging: named('postgres').logging });
});

it('backs up with the same Postgres and Node as the system, and keeps the settings of Postgres', () => {
  const base = (file: string, name: string): string | undefined =>
    new RegExp(`^ARG ${name}=(.+)`, 'm').exec(read(file))?.[1];
  expect(base('deploy/backup/Dockerfile', 'POSTGRES')).toBe(named('postgres').image);
  expect(base('deploy/backup/Dockerfile', 'NODE_IMAGE')).toBe(base('Dockerfile', 'NODE_IMAGE'));
  expect(backup['postgres']?.command).toEqual(expect.arrayContaining(named('postgres').command ?? ['none']));
});

it('mounts files that a release replaces as folders', () => {
  // A container keeps the old inode of a mounted file when the file is replaced.
  for (const name of ['nats', 'proxy'])
    expect(
      named(name).volumes.filter((one) => /^\.\/.*\.\w+:/.test(one)),
      name,
    ).toEqual([]);
});

it('builds the image once and pins all other images to a version', () => {
  expect(namesOf(({ build }) => build !== undefined)).toEqual(['migrate']);
  const ours = namesOf(({ image }) => image === named('migrate').image);
  expect(ours.toSorted()).toEqual(['gateway', 'migrate', ...SERVICES].toSorted());
  const others = namesOf(({ image }) => image !== named('migrate').image);
  for (const name of others) expect(named(name).image).toMatch(/^[\w./-]+:v?\d+\.\d+(\.\d+)?(-\w+)?$/);
});

it('publishes one address, and monitoring only on the loopback address', () => {
  expect(namesOf(({ ports, profiles }) => ports.length > 0 && profiles.length === 0)).toEqual(['proxy']);
  expect(named('proxy').ports).toEqual(['${PUBLISH:-127.0.0.1:8080}:8080']);
  const others = entries.filter(([name]) => name !== 'proxy').flatMap(([, { ports }]) => ports);
  expect(others.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
});

it('lets the gateway trust its proxy and no other host', () => {
  expect(namesOf(({ networks }) => networks.includes('edge')).toSorted()).toEqual(['gateway', 'proxy']);
  const [, subnet = ''] = /subnet: '([^']+)'/.exec(read('docker-compose.yml')) ?? [];
  expect(named('gateway').environment['TRUST_PROXY']?.startsWith(subnet)).toBe(true);
});

it('checks the health of Postgres by a query in the database', () => {
  const [, command = ''] = named('postgres').healthcheck?.test ?? [];
  expect(command).toMatch(/psql .*--host=127\.0\.0\.1 .*--dbname=teaching .*select 1/);
});

/** Variables with fixed values in containers: addresses, mounted files, and settings for tests. */
const FIXED = [
  'CHECK_REPLIES',
  'HEALTH_HOST',
  'HEALTH_PORT',
  'HOST',
  'IN_PROCESS_CALLS',
  'NATS_CA',
  'NATS_CERT',
  'NATS_KEY',
  'DATABASE_CA',
];

it.each([
  ['gateway', gatewayConfig.shape],
  ['clazz', serviceConfig.shape],
] as const)('passes every variable that %s reads, and the variables of telemetry', (name, shape) => {
  const plain = Object.entries(shape).flatMap(([variable, field]) => (isSecret(field) ? [] : [variable]));
  const passed = Object.keys(named(name).environment);
  const missing = plain.filter((one) => !passed.includes(one) && !FIXED.includes(one));
  expect(missing).toEqual([]);
  expect(passed).toEqual(expect.arrayContaining(['METRICS_PORT', 'OTEL_TRACES_SAMPLER', 'OTEL_METRICS_EXPORTER']));
  const telemetry = read('deploy/compose.env.example').match(/^#?(OTEL_\w+|METRICS_PORT)(?==)/gm) ?? [];
  expect(passed).toEqual(expect.arrayContaining(telemetry.map((line) => line.replace('#', ''))));
});

it('has Prometheus scrape every copy of every service under the job name of the rules', () => {
  const [job, proxy] = z
    .object({
      scrape_configs: z.array(
        z.looseObject({
          job_name: z.string(),
          dns_sd_configs: z.array(
            z.object({ names: z.array(z.string()), type: z.literal('A'), port: z.int() }).loose(),
          ),
        }),
      ),
    })
    .parse(parse(read('deploy/observability/prometheus.yml'))).scrape_configs;
  expect(job?.job_name).toBe('teaching');
  const [metrics] = proxy?.dns_sd_configs ?? [];
  expect(metrics?.names).toEqual(['proxy']);
  expect(read('deploy/proxy/haproxy.cfg')).toContain(
    `bind :${metrics?.port}\n    http-request use-service prometheus-exporter`,
  );
  // Prometheus and the gateway must not share a network with the proxy: it would be seen as a gateway's client there.
  const sharedWith = (name: string): string[] =>
    named(name).networks.filter((one) => named('proxy').networks.includes(one));
  expect([sharedWith('prometheus'), sharedWith('gateway')]).toEqual([['watch'], ['edge']]);
  const [scraped] = job?.dns_sd_configs ?? [];
  expect(scraped?.names.toSorted()).toEqual(namesOf(({ environment }) => 'METRICS_PORT' in environment).toSorted());
  expect(read('deploy/compose.env.example')).toContain(`#METRICS_PORT=${scraped?.port}\n`);
});

it('mounts only files that exist', () => {
  const mounted = entries.flatMap(([, { volumes }]) => volumes.map((one) => /(\.\/[^:}]+)/.exec(one)?.[1] ?? ''));
  const files = mounted.filter((file) => file.startsWith('./'));
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) expect(() => readFileSync(`${ROOT}${file}`), file).not.toThrow(/ENOENT/);
});
