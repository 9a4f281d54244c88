import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { clazzCalls } from '@teaching/contracts';
import { z } from 'zod';
import { afterAll, assert, beforeAll, expect, inject, it, vi } from 'vitest';
import { AUDIENCE, ISSUER } from '../../../tools/local/keys.ts';
import { gatewayEnv } from '../../../tools/local/service-env.ts';
import { createApi } from '../../../tools/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { SOON } from '../../../tools/test/soon.ts';
import { type Collector, type Span, startCollector } from './collector.ts';

const GATEWAY = fileURLToPath(new URL('../../../services/gateway/src/main.ts', import.meta.url));
const CLAZZ = fileURLToPath(new URL('../../../services/clazz/src/main.ts', import.meta.url));
const Line = z.looseObject({ msg: z.string(), address: z.string().optional(), trace_id: z.string().optional() });
type Line = z.output<typeof Line>;

let fixture: Fixture;
let collector: Collector;
let children: ChildProcess[] = [];
const lines: Line[] = [];

const launch = (program: string, env: Record<string, string | undefined>): void => {
  const child = spawn(process.execPath, [program], { env: { PATH: process.env['PATH'], ...env } });
  createInterface(child.stdout).on('line', (line) => lines.push(Line.parse(JSON.parse(line))));
  children.push(child);
};

beforeAll(async () => {
  collector = await startCollector();
  fixture = await startFixture({ services: ['course'] });
  const telemetry = {
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_METRIC_EXPORT_INTERVAL: '300',
    OTEL_METRIC_EXPORT_TIMEOUT: '300',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  const stack = { ...inject('stack'), natsUrl: fixture.nats.url };
  launch(CLAZZ, { ...fixture.envFor('clazz'), ...telemetry });
  launch(GATEWAY, {
    ...gatewayEnv(stack),
    ...telemetry,
    HOST: '127.0.0.1',
    PORT: '0',
    JWKS_FILE: fixture.keys.jwksFile,
    JWT_ISSUER: ISSUER,
    JWT_AUDIENCE: AUDIENCE,
  });
  await vi.waitFor(() => assert(lines.some(({ msg }) => msg === 'serving')), SOON);
  await vi.waitFor(() => assert(lines.some(({ address }) => address !== undefined)), SOON);
});
afterAll(async () => {
  await Promise.all(
    children.map((child) => {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill();
      return ended;
    }),
  );
  children = [];
  await fixture?.stop();
  collector?.stop();
});

const sqlOf = (span: Span): string =>
  span.attributes.find(({ key }) => key === 'db.query.text')?.value.stringValue ?? '';

it('shows one trace from HTTP over the bus and SQL through the outbox to the write of the follower', async () => {
  const address = lines.find((line) => line.address !== undefined)?.address ?? '';
  const api = createApi(address, `Bearer ${fixture.token({ role: 'SUPERVISOR' })}`);
  const trace_id = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';
  const traceparent = `00-${trace_id}-00f067aa0ba902b7-01`;
  await api.ok(clazzCalls.create, { body: { name: 'Traced', lead_teacher_id: 'li' } }, { traceparent });

  const spans = (): Span[] => collector.spans.filter((span) => span.traceId === trace_id);
  const named = (name: string | RegExp): Span | undefined =>
    spans().find((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)));
  const isAuditWrite = (span: Span): boolean => /insert into clazz_audit_log/i.test(sqlOf(span));
  await expect.poll(() => spans().some(isAuditWrite), SOON).toBe(true);
  await expect.poll(() => named(/^follow clazz\./) !== undefined, SOON).toBe(true);
  await expect.poll(() => named('POST /api/v1/clazz') !== undefined, SOON).toBe(true);

  const [http, call] = [named('POST /api/v1/clazz'), named('clazz.clazz.create')];
  expect(http?.parentSpanId).toBe('00f067aa0ba902b7');
  expect(call?.parentSpanId).toBe(http?.spanId);
  const outbox = spans().find((span) => /insert into log_entry/.test(sqlOf(span)));
  expect(outbox?.parentSpanId).toBe(call?.spanId);
  expect(named(/^publish clazz\./)?.parentSpanId).toBe(call?.spanId);
  const followers = spans().filter(({ name }) => name.startsWith('follow clazz.'));
  expect(followers.map(({ parentSpanId }) => parentSpanId)).toContain(call?.spanId);
  const write = spans().find(isAuditWrite);
  expect(followers.map(({ spanId }) => spanId)).toContain(write?.parentSpanId);

  const logged = lines.find(({ msg, method, status }) => msg === 'request' && method === 'POST' && status === 201);
  expect(logged?.trace_id).toBe(trace_id);
});

it('keeps nothing of a trace that its caller did not sample', async () => {
  const address = lines.find((line) => line.address !== undefined)?.address ?? '';
  const api = createApi(address, `Bearer ${fixture.token({ role: 'SUPERVISOR' })}`);
  const trace_id = 'b1b2c3d4e5f60718293a4b5c6d7e8f90';
  await api.ok(clazzCalls.list, {}, { traceparent: `00-${trace_id}-00f067aa0ba902b7-00` });
  const before = collector.spans.length;
  await api.ok(clazzCalls.list);
  await expect.poll(() => collector.spans.length, SOON).toBeGreaterThan(before);
  expect(collector.spans.filter((span) => span.traceId === trace_id)).toEqual([]);
});

it('counts calls, and measures how far the log, its stream and its followers are', async () => {
  await expect
    .poll(() => [...collector.metrics], SOON)
    .toEqual(
      expect.arrayContaining([
        'call.duration',
        'teaching.log.numbered',
        'teaching.log.number.lag',
        'teaching.log.published.place',
        'teaching.log.publish.trouble',
        'teaching.follower.events',
        'teaching.follower.lag',
      ]),
    );
});
