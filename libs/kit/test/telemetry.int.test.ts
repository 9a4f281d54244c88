import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { afterAll, assert, beforeAll, expect, inject, it, vi } from 'vitest';
import { COMPILE_CACHE } from '@teaching/local/compile-cache.ts';
import { freePort } from '@teaching/local/ports.ts';
import { gatewayEnv } from '@teaching/local/service-env.ts';
import { createApi } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { connectCaller, type TestCaller } from './test-caller.ts';
import { type Collector, type Span, startCollector } from './otlp-collector.ts';
import { createProbe } from './probe/probe.ts';
import { createFixtureService, envWithoutMigration } from './fixture-service/fixture-service.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';

const GATEWAY = fileURLToPath(new URL('../../../services/gateway/src/main.ts', import.meta.url));
const FIXTURE_SERVICE = fileURLToPath(new URL('fixture-service/main.ts', import.meta.url));
const PROBE = fileURLToPath(new URL('probe/main.ts', import.meta.url));
const Line = z.looseObject({ msg: z.string(), address: z.string().optional(), trace_id: z.string().optional() });
type Line = z.output<typeof Line>;

let fixture: Fixture;
let collector: Collector;
let caller: TestCaller;
let metricsPort = 0;
let children: ChildProcess[] = [];
const lines: Line[] = [];
/**
 * Metrics are usually fetched from another host. A program answers at this address only if it listens on all
 * addresses.
 */
const ANOTHER = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1';

const launch = (program: string, env: Record<string, string | undefined>): void => {
  const child = spawn(process.execPath, [program], { env: { PATH: process.env['PATH'], ...COMPILE_CACHE, ...env } });
  createInterface(child.stdout).on('line', (line) => lines.push(Line.parse(JSON.parse(line))));
  children.push(child);
};

/** The addresses of two gateways: one that trusts the test as its proxy, and one that trusts no proxy. */
const addresses = (): string[] => lines.flatMap(({ address }) => address ?? []);

beforeAll(async () => {
  collector = await startCollector();
  fixture = await startFixture({ services: [] });
  await createFixtureService(fixture);
  await createProbe(fixture);
  caller = await connectCaller(fixture);
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
  metricsPort = await freePort();
  launch(FIXTURE_SERVICE, {
    ...envWithoutMigration(fixture, 'course'),
    ...telemetry,
    METRICS_PORT: String(metricsPort),
  });
  launch(PROBE, { ...envWithoutMigration(fixture, 'stats'), ...telemetry });
  const gateway = {
    ...gatewayEnv(stack, fixture.keys),
    ...telemetry,
    // The test is a trusted proxy, whose requests may begin traces.
    TRUST_PROXY: '127.0.0.1',
  };
  launch(GATEWAY, gateway);
  await vi.waitFor(() => assert(lines.filter(({ msg }) => msg === 'serving').length === 2), POLL_OPTIONS);
  await vi.waitFor(() => assert(addresses().length === 1), POLL_OPTIONS);
  launch(GATEWAY, { ...gateway, TRUST_PROXY: '' });
  await vi.waitFor(() => assert(addresses().length === 2), POLL_OPTIONS);
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
  await caller?.stop();
  await fixture?.stop();
  collector?.stop();
});

const sqlOf = (span: Span): string =>
  span.attributes.find(({ key }) => key === 'db.query.text')?.value.stringValue ?? '';

it('one trace contains the HTTP request, the call over the bus, the SQL, the outbox and the write of the follower', async () => {
  const [address = ''] = addresses();
  const api = createApi(address, `Bearer ${fixture.token({ role: 'SUPERVISOR' })}`);
  const trace_id = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';
  const traceparent = `00-${trace_id}-00f067aa0ba902b7-01`;
  const created = await api.post('/ws/course', { title: 'Traced' }, { traceparent });
  expect(created.status).toBe(201);

  const spans = (): Span[] => collector.spans.filter((span) => span.traceId === trace_id);
  const named = (name: string | RegExp): Span | undefined =>
    spans().find((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)));
  const isWriteOfFollower = (span: Span): boolean => /insert into probe/.test(sqlOf(span));
  // Three processes export their spans at different times.
  for (const name of ['POST /api/v1/ws/course', 'course.course.create', /^publish course\./, /^follow course\./])
    await expect.poll(() => named(name), POLL_OPTIONS).toBeDefined();
  await expect.poll(() => spans().some(isWriteOfFollower), POLL_OPTIONS).toBe(true);

  const [http, call] = [named('POST /api/v1/ws/course'), named('course.course.create')];
  expect(http?.parentSpanId).toBe('00f067aa0ba902b7');
  expect(call?.parentSpanId).toBe(http?.spanId);
  const outbox = spans().find((span) => /insert into log_entry/.test(sqlOf(span)));
  expect(outbox?.parentSpanId).toBe(call?.spanId);
  expect(named(/^publish course\./)?.parentSpanId).toBe(call?.spanId);
  const followers = spans().filter(({ name }) => name.startsWith('follow course.'));
  expect(followers.map(({ parentSpanId }) => parentSpanId)).toContain(call?.spanId);
  const write = spans().find(isWriteOfFollower);
  expect(followers.map(({ spanId }) => spanId)).toContain(write?.parentSpanId);

  const logged = lines.find(({ msg, method, status }) => msg === 'request' && method === 'POST' && status === 201);
  expect(logged?.trace_id).toBe(trace_id);
});

it('no span is exported for a trace that its caller does not sample', async () => {
  const [address = ''] = addresses();
  const api = createApi(address, `Bearer ${fixture.token({ role: 'SUPERVISOR' })}`);
  const trace_id = 'b1b2c3d4e5f60718293a4b5c6d7e8f90';
  await api.get('/ws/course', { traceparent: `00-${trace_id}-00f067aa0ba902b7-00` });
  const before = collector.spans.length;
  await api.get('/ws/course');
  await expect.poll(() => collector.spans.length, POLL_OPTIONS).toBeGreaterThan(before);
  expect(collector.spans.filter((span) => span.traceId === trace_id)).toEqual([]);
});

it('a request from an untrusted address gets a new sampled trace, which links to the trace of the request', async () => {
  const [, address = ''] = addresses();
  const api = createApi(address, `Bearer ${fixture.token({ role: 'SUPERVISOR' })}`);
  for (const [flag, trace_id] of [
    ['00', 'd1b2c3d4e5f60718293a4b5c6d7e8f90'],
    ['01', 'e1b2c3d4e5f60718293a4b5c6d7e8f90'],
  ]) {
    const linked = (): Span | undefined =>
      collector.spans.find(({ links }) => links.some((link) => link.traceId === trace_id));
    await api.get('/ws/course', { traceparent: `00-${trace_id}-00f067aa0ba902b7-${flag}` });
    await expect.poll(linked, POLL_OPTIONS).toMatchObject({ name: 'GET /api/v1/ws/course' });
    expect(linked()?.parentSpanId ?? '').toBe('');
    expect(collector.spans.filter((span) => span.traceId === trace_id)).toEqual([]);
  }
});

it('the log line of a failed call contains its trace id', async () => {
  const trace_id = 'c1b2c3d4e5f60718293a4b5c6d7e8f90';
  const { head } = await caller.performCall(
    fixtureServiceCalls.write,
    {},
    { trace: `00-${trace_id}-00f067aa0ba902b7-01` },
  );
  expect(head.status).toBe(500);
  const failure = () => lines.find(({ msg }) => msg === 'call failed');
  await expect
    .poll(failure, POLL_OPTIONS)
    .toMatchObject({ call: 'course.fixture.write', trace_id, err: { message: 'made to fail' } });
  const spans = () => collector.spans.filter((span) => span.traceId === trace_id);
  await expect
    .poll(() => spans().map(({ name, spanId }) => [name, spanId]), POLL_OPTIONS)
    .toContainEqual(['course.fixture.write', failure()?.['span_id']]);
});

it('no values are in spans or in the log of the database', async () => {
  const MARK = 'Wanda Marker';
  const [address = ''] = addresses();
  const boss = fixture.token({ role: 'SUPERVISOR', sub: 'wanda.marker' });
  const api = createApi(address, `Bearer ${boss}`);
  const seen = collector.spans.length;
  expect((await api.post('/ws/course', { title: MARK }, { 'idempotency-key': MARK })).status).toBe(201);
  await api.get(`/ws/course?keyword=${encodeURIComponent(MARK)}`);
  await caller.performCall(fixtureServiceCalls.write, { title: MARK });
  const newSpans = () => collector.spans.slice(seen);
  await expect
    .poll(() => newSpans().some((span) => /insert into log_entry/.test(sqlOf(span))), POLL_OPTIONS)
    .toBe(true);
  await expect.poll(() => newSpans().some(({ events }) => events.length > 0), POLL_OPTIONS).toBe(true);
  expect(JSON.stringify(collector.spans)).not.toMatch(/marker|made to fail/i);
  const roles = await fixture.sql<{ rolname: string; rolconfig: string[] }>(
    "select rolname, rolconfig from pg_roles where rolname ~ '^(clazz|course|package|stats)_(owner|app|worker)$'",
  );
  expect(roles).toHaveLength(12);
  for (const { rolname, rolconfig } of roles)
    expect(rolconfig, rolname).toEqual(
      expect.arrayContaining([
        'log_parameter_max_length=0',
        'log_parameter_max_length_on_error=0',
        'log_error_verbosity=terse',
        'log_min_messages=log',
      ]),
    );
});

it('refused requests are logged with reason and caller, without a token, the raw path or a body', async () => {
  const [, address = ''] = addresses();
  const as = (authorization?: string) => createApi(address, authorization);
  const student = fixture.token({ role: 'STUDENT', sub: 'nosy' });
  const id = '01a1fa71-52b3-72d4-8d7e-2c1f5d3c9a10';
  const ids: [string, object][] = [];
  const isRefused = async (sent: Promise<{ headers: Headers }>, expected: object): Promise<void> => {
    ids.push([(await sent).headers.get('x-request-id') ?? '', { address: '127.0.0.1', ...expected }]);
  };
  const nosy = { user_id: 'nosy', org_id: fixture.org };
  const route = '/api/v1/ws/course';
  await isRefused(as().get('/ws/course'), { reason: 'no_token', status: 401, route });
  await isRefused(as('Bearer a.secret.token').get('/ws/course'), { reason: 'bad_token', status: 401, route });
  await isRefused(as(`Bearer ${student}`).post('/ws/course', { title: 'a secret body' }), {
    reason: 'forbidden',
    status: 403,
    route,
    method: 'POST',
    ...nosy,
  });
  await isRefused(as(`Bearer ${student}`).get(`/ws/course/${id}`), {
    reason: 'not_found',
    status: 404,
    route: '/api/v1/ws/course/:id',
    ...nosy,
  });
  await isRefused(as().get('//a/secret/path'), { reason: 'unknown_path', status: 404 });
  for (const [request_id, expected] of ids)
    await expect
      .poll(() => lines.find((line) => line.msg === 'refused' && line['request_id'] === request_id), POLL_OPTIONS)
      .toMatchObject(expected);
  expect(JSON.stringify(lines)).not.toMatch(/secret|eyJ/);
});

it('metrics count calls and measure the progress of the log, its stream and its followers', async () => {
  await expect
    .poll(() => [...collector.metrics], POLL_OPTIONS)
    .toEqual(
      expect.arrayContaining([
        'http.server.request.duration',
        'teaching.call.duration',
        'teaching.call.slots',
        'db.client.operation.duration',
        'db.client.connection.count',
        'teaching.bus.connected',
        'teaching.bus.pending',
        'teaching.duty.leading',
        'teaching.events',
        'teaching.log.numbered',
        'teaching.log.number.lag',
        'teaching.log.place',
        'teaching.log.published.place',
        'teaching.log.unpublished.age',
        'teaching.follower.events',
        'teaching.follower.lag',
        'teaching.follower.lag.time',
        'teaching.follower.dead_letters',
        'teaching.gateway.refused',
        'teaching.gateway.tokens',
        'teaching.gateway.keys.age',
      ]),
    );
});

it('Prometheus gets the metrics, too, including those whose values do not change', async () => {
  const fetched = async (): Promise<string> => (await fetch(`http://${ANOTHER}:${metricsPort}/metrics`)).text();
  // The progress of the stream is stored once a second.
  await expect.poll(fetched, POLL_OPTIONS).toMatch(/^teaching_log_unpublished_age\{[^}]*log="course"[^}]*\} 0$/m);
  const text = await fetched();
  expect(text).toMatch(/^teaching_clock_skew\{[^}]*part="postgres"[^}]*\} -?\d/m);
  expect(text).toMatch(/^teaching_duty_leading\{[^}]*service="course"[^}]*\} 1$/m);
  expect(text).toMatch(/^teaching_call_duration_bucket\{/m);
  // No call was made in the meantime.
  expect(await fetched()).toMatch(/^teaching_log_place\{/m);
});

it('a metric shows how long a stream has accepted no events, even if its content is unknown', async () => {
  await fixture.sql(
    `update course.log_head set published_no = null, trouble = 'no room', trouble_since = now() - interval '90 s'`,
  );
  const fetched = async (): Promise<string> => (await fetch(`http://${ANOTHER}:${metricsPort}/metrics`)).text();
  expect(await fetched()).toMatch(/^teaching_log_unpublished_age\{[^}]*log="course"[^}]*\} (9|1\d)\d/m);
});
