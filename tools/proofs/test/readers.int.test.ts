import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, nanos, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { clazzCalls } from '../../../libs/contracts/src/index.ts';
import { startProxy } from '../system/tcp-proxy.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { inCheckout, launch, runCli } from './run-tool.ts';
import { POLL_OPTIONS } from './poll-options.ts';
import { isViolation } from './violations.ts';

const other = randomUUID();
let fixture: Fixture;
let folder: string;
let seed: string;

const admin = () => ({ NATS_URL: fixture.nats.url, NATS_ADMIN_PASSWORD: inject('stack').secrets.nats.admin });
const readers = (...args: string[]) => runCli('readers', admin(), ...args, '--folder', folder);
const create = (org: string, name: string) =>
  fixture.as({ role: 'SUPERVISOR', org }).ok(clazzCalls.createClazz, { body: { name, lead_teacher_id: 'lee' } });

beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz'] });
  folder = dirname(fixture.keys.jwksFile);
  await create(other, 'Elsewhere');
  await create(fixture.org, 'First');
  const made = await readers('add', 'warehouse', '--org', fixture.org, '--services', 'clazz');
  if (made.code !== 0) throw new Error(made.err);
  seed = made.out.trim();
  fixture.nats.reload();
  await vi.waitUntil(canConnect, POLL_OPTIONS);
  // The account may use its consumers from the second reload on.
  fixture.nats.reload();
  await vi.waitUntil(hasConsumer, POLL_OPTIONS);
  // A short wait until unacknowledged messages are sent again; the default is half a minute.
  const manager = await jetstreamManager(await connectedAsAdmin());
  await manager.consumers.update('EVENTS_CLAZZ', 'reader_warehouse', { ack_wait: nanos(1_000) });
});
afterAll(async () => {
  await operator?.close();
  await fixture?.stop();
});

/** Starts the example subscriber as a process. `names`: the names of the classes it has received. */
const subscriber = (state: string, url = fixture.nats.url) => {
  const env = { NATS_URL: url, READER: 'warehouse', READER_SEED: seed, STATE: state };
  const { child, out, ended } = launch([inCheckout('examples/subscribe.ts'), 'EVENTS_CLAZZ'], env);
  return {
    names: () => [...out().matchAll(/"change":"created".*?"name":"(\w+)"/g)].map(([, name]) => name),
    out,
    end: async (signal: NodeJS.Signals): Promise<void> => {
      child.kill(signal);
      await ended;
    },
  };
};

const connected = (): Promise<NatsConnection> =>
  connect({
    servers: fixture.nats.url,
    authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
    inboxPrefix: '_INBOX_reader_warehouse',
    reconnect: false,
  });
let operator: NatsConnection | undefined;
const connectedAsAdmin = async (): Promise<NatsConnection> => {
  const { NATS_URL: servers, NATS_ADMIN_PASSWORD: pass } = admin();
  return (operator ??= await connect({ servers, pass, user: 'admin_clazz', inboxPrefix: '_INBOX_admin_clazz' }));
};
const canConnect = (): Promise<boolean> =>
  connected().then(
    (nc) => nc.close().then(() => true),
    () => false,
  );
const askConsumer = async (): Promise<boolean> => {
  const nc = await connected();
  try {
    const { consumers } = await jetstreamManager(nc, { domain: 'teaching', checkAPI: false });
    return (await consumers.info('EVENTS_CLAZZ', 'reader_warehouse')).name === 'reader_warehouse';
  } finally {
    await nc.close();
  }
};
/** The broker may close a connection while it reloads. */
const hasConsumer = (): Promise<boolean> => askConsumer().catch(() => false);
/** Requests for messages of readers that have ended. They take messages until they expire. */
const waitingRequests = async (): Promise<number> =>
  (await jetstreamManager(await connectedAsAdmin())).consumers
    .info('EVENTS_CLAZZ', 'reader_warehouse')
    .then(({ num_waiting }) => num_waiting);
const isRefused = async (act: (nc: NatsConnection) => void): Promise<boolean> => isViolation(await connected(), act);

describe('An outside reader', () => {
  it('receives the events of its organization, continues where it stopped, and receives none twice', async () => {
    const state = join(mkdtempSync(join(tmpdir(), 'teaching-reader-')), 'state');
    const first = subscriber(state);
    await expect.poll(first.names, POLL_OPTIONS).toEqual(['First']);
    await create(fixture.org, 'Second');
    await expect.poll(first.names, POLL_OPTIONS).toEqual(['First', 'Second']);
    // After SIGKILL unacknowledged messages are sent again.
    await first.end('SIGKILL');
    await create(other, 'Elsewhere');
    await create(fixture.org, 'Third');
    const next = subscriber(state);
    await expect.poll(next.names, POLL_OPTIONS).toEqual(['Third']);
    await next.end('SIGTERM');
    expect(first.out() + next.out()).not.toContain('Elsewhere');
    expect(readFileSync(state, 'utf8')).toMatch(/^\d{16}$/);
    rmSync(dirname(state), { recursive: true });
  });

  it('receives the unacknowledged messages of an earlier process before later events', async () => {
    await expect.poll(waitingRequests, POLL_OPTIONS).toBe(0);
    for (const name of ['Fourth', 'Fifth']) await create(fixture.org, name);
    const nc = await connected();
    const consumer = await jetstream(nc, { domain: 'teaching', checkAPI: false }).consumers.get(
      'EVENTS_CLAZZ',
      'reader_warehouse',
    );
    for await (const message of await consumer.fetch({ max_messages: 2 })) message.working();
    await nc.close();
    await create(fixture.org, 'Sixth');
    const state = join(mkdtempSync(join(tmpdir(), 'teaching-reader-')), 'state');
    const next = subscriber(state);
    await expect.poll(next.names, POLL_OPTIONS).toEqual(['Fourth', 'Fifth', 'Sixth']);
    await next.end('SIGTERM');
    rmSync(dirname(state), { recursive: true });
  });

  it('reconnects and first receives the messages that were lost in between', async () => {
    const { hostname: host, port } = new URL(fixture.nats.url);
    const proxy = await startProxy(() => ({ host, port: Number(port) }));
    const state = join(mkdtempSync(join(tmpdir(), 'teaching-reader-')), 'state');
    const reader = subscriber(state, `nats://127.0.0.1:${proxy.port}`);
    await create(fixture.org, 'Seventh');
    await expect.poll(reader.names, POLL_OPTIONS).toEqual(['Seventh']);
    const manager = await jetstreamManager(await connectedAsAdmin());
    const open = async () => (await manager.consumers.info('EVENTS_CLAZZ', 'reader_warehouse')).num_ack_pending;
    await expect.poll(open, POLL_OPTIONS).toBe(0);
    // Longer than a reconnection takes.
    await manager.consumers.update('EVENTS_CLAZZ', 'reader_warehouse', { ack_wait: nanos(5_000) });
    proxy.set('half-open');
    await create(fixture.org, 'Eighth');
    await expect.poll(open, POLL_OPTIONS).toBeGreaterThan(0);
    proxy.set('cut');
    await create(fixture.org, 'Ninth');
    proxy.heal();
    await expect.poll(reader.names, POLL_OPTIONS).toEqual(['Seventh', 'Eighth', 'Ninth']);
    await reader.end('SIGTERM');
    await proxy.close();
    rmSync(dirname(state), { recursive: true });
  });

  it.each([
    'call.clazz.any.gateway.clazz.create',
    'call.clazz.any.reader_warehouse.clazz.create',
    'evt.o.clazz.clazz.created',
    'log.clazz.read.reader_warehouse',
    '$JS.API.INFO',
    '$JS.API.STREAM.INFO.EVENTS_CLAZZ',
    '$JS.API.STREAM.MSG.GET.EVENTS_CLAZZ',
    '$JS.API.CONSUMER.CREATE.EVENTS_CLAZZ.reader_warehouse',
    '$JS.API.CONSUMER.DELETE.EVENTS_CLAZZ.reader_warehouse',
    '$JS.API.CONSUMER.MSG.NEXT.EVENTS_CLAZZ.reader_warehouse',
    '$JS.teaching.API.CONSUMER.MSG.NEXT.AUDIT_CLAZZ.reader_warehouse',
    '$JS.teaching.API.CONSUMER.MSG.NEXT.EVENTS_CLAZZ.other',
    '_INBOX_gateway.x',
  ])('may not publish %s', async (subject) => {
    expect(await isRefused((nc) => nc.publish(subject))).toBe(true);
  });

  it.each(['>', 'evt.>', 'audit.>', 'call.>', 'log.>', '_INBOX_gateway.>', '_INBOX_>'])(
    'may not subscribe to %s',
    async (subject) => {
      expect(await isRefused((nc) => void nc.subscribe(subject, { callback: () => {} }))).toBe(true);
    },
  );

  it('is created once per name, is listed, and cannot connect after its removal', async () => {
    expect(await readers('add', 'warehouse', '--all-orgs')).toMatchObject({ code: 2 });
    expect(await readers('add', 'No Name', '--all-orgs')).toMatchObject({ code: 2 });
    expect(await readers('add', 'nobody')).toMatchObject({ code: 2 });
    expect((await readers('list')).out).toMatch(/^warehouse {2}[\w-]{36} {2}clazz domain$/m);
    // A consumer that an earlier attempt removed is no obstacle.
    const manager = await jetstreamManager(await connectedAsAdmin());
    await manager.consumers.delete('EVENTS_CLAZZ', 'reader_warehouse');
    expect(await readers('remove', 'warehouse')).toMatchObject({ code: 0 });
    fixture.nats.reload();
    await expect.poll(canConnect, POLL_OPTIONS).toBe(false);
  });
});
