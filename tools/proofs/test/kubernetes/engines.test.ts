import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { rulesManifest } from '../../../developers/kubernetes/rules.ts';
import { KUBERNETES, Overlay } from './workloads.ts';

const read = (file: string): string => readFileSync(join(KUBERNETES, '../..', file), 'utf8');
const named = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name).toSorted();

const Secret = z.strictObject({
  valueFrom: z.strictObject({ secretKeyRef: z.strictObject({ name: z.literal('teaching'), key: z.string() }) }),
});
const Locked = z.strictObject({
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
});
const Values = z.looseObject({
  config: z.looseObject({
    jetstream: z.looseObject({
      enabled: z.literal(true),
      fileStore: z.looseObject({ maxSize: z.string() }),
      memoryStore: z.looseObject({ maxSize: z.string() }),
    }),
    merge: z.strictObject({
      max_payload: z.string(),
      write_deadline: z.string(),
      ping_interval: z.string(),
      lame_duck_grace_period: z.string(),
      lame_duck_duration: z.string(),
      accounts: z.strictObject({ $include: z.literal('users.conf') }),
    }),
  }),
  container: z.looseObject({
    image: z.strictObject({ tag: z.string() }),
    env: z.record(z.string(), z.union([Secret, z.string()])),
    merge: Locked,
  }),
  reloader: z.looseObject({ merge: Locked }),
  promExporter: z.looseObject({ merge: Locked }),
});

describe('The broker', () => {
  const values = Values.parse(parse(read('deploy/kubernetes/nats/values.yaml')));
  const conf = read('deploy/nats/nats.conf');
  const settingOf = (name: string): string => new RegExp(`^ *${name}: "?([^"\n]+)"?$`, 'm').exec(conf)?.[1] ?? '';

  it('has the limits of deploy/nats/nats.conf and the users of deploy/nats/users.conf', () => {
    const { merge, jetstream } = values.config;
    const { accounts, ...limits } = merge;
    expect(accounts.$include).toBe('users.conf');
    expect({
      ...limits,
      max_file_store: jetstream.fileStore.maxSize,
      max_memory_store: jetstream.memoryStore.maxSize,
    }).toEqual({
      max_payload: `<< ${settingOf('max_payload')} >>`,
      write_deadline: settingOf('write_deadline'),
      ping_interval: settingOf('ping_interval'),
      lame_duck_grace_period: settingOf('lame_duck_grace_period'),
      lame_duck_duration: settingOf('lame_duck_duration'),
      max_file_store: settingOf('max_file_store'),
      max_memory_store: settingOf('max_memory_store'),
    });
    // The only other setting is the store folder, which the chart sets.
    const all = named(conf, /^ *(\w+):/gm);
    expect(all).toEqual([...Object.keys(limits), 'max_file_store', 'max_memory_store', 'store_dir'].toSorted());
  });

  it('has the password of every user under the same Secret key as the process', () => {
    const keys = Object.entries(values.container.env).flatMap(([variable, value]) =>
      typeof value === 'string' ? [] : [`${variable} ${value.valueFrom.secretKeyRef.key}`],
    );
    const users = [...new Set(named(read('deploy/nats/users.conf'), /password: \$NATS_(\w+)_PASSWORD/g))];
    expect(keys.toSorted()).toEqual(users.map((user) => `NATS_${user}_PASSWORD nats_${user.toLowerCase()}`));
  });

  it('has the same version as in Compose', () => {
    expect(read('docker-compose.yml')).toContain(`image: nats:${values.container.image.tag}\n`);
  });

  it('has as many servers as stream replicas, and TLS with the host name of NATS_URL', () => {
    const { config } = z
      .looseObject({ config: z.object({ cluster: z.strictObject({ enabled: z.literal(true), replicas: z.int() }) }) })
      .parse(parse(read('deploy/kubernetes/nats/large.yaml')));
    const { env } = new Overlay('large').workload('clazz');
    expect(String(config.cluster.replicas)).toBe(env['STREAM_REPLICAS']);
    expect(env['NATS_URL']).toMatch(/^tls:/);
    const [names = ''] = named(read('deploy/kubernetes/components/tls/certificates.yaml'), /dnsNames:\n([^]*?) {2}\w/g);
    expect(names).toContain(`- ${new URL(env['NATS_URL'] ?? '').hostname}\n`);
  });
});

describe('Monitoring', () => {
  it('has the rules of deploy/observability/alerts.yml, as npm run kubernetes-rules writes them', () => {
    const written = read('deploy/kubernetes/components/observability/rules.yaml');
    const rules = read('deploy/observability/alerts.yml');
    expect(written).toBe(rulesManifest(rules));
    const { spec } = z.looseObject({ spec: z.unknown() }).parse(parse(written));
    expect(spec).toEqual(parse(rules));
  });

  it('has every dashboard', () => {
    const dashboards = new Overlay('large').all('ConfigMap').find(({ metadata }) => metadata.name === 'dashboards');
    const files = globSync('deploy/observability/dashboards/*.json', { cwd: join(KUBERNETES, '../..') });
    expect(Object.keys(dashboards?.data ?? {}).toSorted()).toEqual(
      files.map((file) => file.split(/[\\/]/).at(-1)).toSorted(),
    );
  });

  it('scrapes every process under the job name of the rules', () => {
    const monitors = new Overlay('large').all('PodMonitor');
    const ours = monitors.find(({ metadata }) => metadata.name === 'teaching');
    const { selector, jobLabel } = z
      .looseObject({
        jobLabel: z.string(),
        selector: z.object({
          matchExpressions: z.array(z.looseObject({ key: z.string(), values: z.array(z.string()) })),
        }),
      })
      .parse(ours?.spec);
    const labels = new Overlay('large').workload('gateway').template.metadata.labels;
    expect(Object.entries(labels)).toContainEqual([jobLabel, 'teaching']);
    const names = selector.matchExpressions.find(({ key }) => key === 'app.kubernetes.io/name')?.values;
    expect(names?.toSorted()).toEqual(['gateway', ...SERVICES].toSorted());
  });
});
