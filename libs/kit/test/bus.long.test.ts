import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@teaching/local/ports.ts';
import { natsPasswords, type Secrets } from '@teaching/local/secrets.ts';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createNatsServer, type NatsServer } from '../../../tools/proofs/system/nats-server.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { type Bus, connectBus } from '../src/index.ts';
import { recordingLog } from './log-lines.ts';

const { secrets } = inject('stack');
const CONFIG = fileURLToPath(new URL('../../../deploy/nats/nats.conf', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'teaching-bus-'));
chmodSync(dataDir, 0o711);

let port = 0;
let broker: NatsServer;
const buses: Bus[] = [];
const start = async (with_: Secrets = secrets): Promise<void> => {
  broker.changePasswords(natsPasswords(with_));
  await broker.restart();
};
/** As a service connects that has this password. */
const connect = async (log = recordingLog(), stop?: AbortSignal): Promise<Bus> => {
  const address = {
    NATS_URL: `nats://127.0.0.1:${port}`,
    NATS_USER: 'clazz',
    NATS_PASSWORD: () => [secrets.nats.clazz],
  };
  const bus = await connectBus(address, 'clazz', log.log, stop);
  buses.push(bus);
  return bus;
};
const changed: Secrets = { ...secrets, nats: { ...secrets.nats, clazz: 'another' } };

beforeAll(async () => {
  port = await freePort();
  broker = createNatsServer({ dataDir, port, config: CONFIG, passwords: natsPasswords(secrets) });
});
afterEach(async () => {
  await Promise.all(buses.splice(0).map((bus) => bus.close()));
});
afterAll(async () => {
  await broker?.stop();
  rmSync(dataDir, { recursive: true });
});

describe('the bus', () => {
  it('is waited for at start, and it is said for what; a password that is being changed is tried until it fits', async () => {
    const kept = recordingLog();
    const said = (what: string): number => kept.lines.filter(({ msg }) => msg.endsWith(what)).length;
    const REFUSED = `waiting for the bus at 127.0.0.1:${port}: the broker refuses user clazz (NATS_USER, NATS_PASSWORD)`;
    const connecting = connect(kept);
    await expect.poll(() => said(`waiting for the bus at 127.0.0.1:${port}: connection refused`), POLL_OPTIONS).toBe(1);
    // It is said again while it lasts.
    await expect.poll(() => said('connection refused'), POLL_OPTIONS).toBe(2);
    await start(changed);
    await expect.poll(() => said(REFUSED), POLL_OPTIONS).toBe(1);
    await start();
    const bus = await connecting;
    expect([bus.isUp(), said('it goes on')]).toEqual([true, 1]);

    let ups = 0;
    bus.onUp(() => (ups += 1));
    await start(changed);
    await expect.poll(() => said(REFUSED), POLL_OPTIONS).toBe(3);
    expect(bus.isUp()).toBe(false);
    await start();
    await expect.poll(() => bus.isUp(), POLL_OPTIONS).toBe(true);
    await bus.nc.flush();
    expect([ups, said('it goes on')]).toEqual([1, 2]);
    expect(JSON.stringify(kept.lines)).not.toContain(secrets.nats.clazz);
  });

  it('is waited for no longer when the process is told to stop', async () => {
    await broker.stop();
    const kept = recordingLog();
    const stop = new AbortController();
    const end = connect(kept, stop.signal).catch((error: unknown) => error);
    await expect.poll(() => kept.lines.length, POLL_OPTIONS).toBe(1);
    stop.abort();
    expect(await end).toMatchObject({ name: 'AbortError' });
  });

  it('fails when its connection is closed for good, and only then', async () => {
    await start();
    const [one, other] = [await connect(), await connect()];
    let failures = 0;
    for (const { failed } of [one, other]) void failed.then(() => (failures += 1));
    await one.close();
    await other.nc.close();
    expect(await other.failed).toMatchObject({ message: 'the bus connection is closed for good' });
    expect([failures, one.isUp(), other.isUp()]).toEqual([1, false, false]);
  });

  it('sends what was handed to it last before it closes', async () => {
    await start();
    const [speaker, listener] = [await connect(), await connect()];
    const heard: string[] = [];
    listener.nc.subscribe('nudge.clazz', { callback: (_error, message) => void heard.push(message.string()) });
    await listener.nc.flush();
    speaker.publishSoon('nudge.clazz', Buffer.from('last words'));
    await speaker.close();
    await expect.poll(() => heard, POLL_OPTIONS).toEqual(['last words']);
  });

  it('tells how many bytes the broker has not taken: those of a moment, of a broker that is frozen, and of one that is gone', async () => {
    await start();
    const bus = await connect();
    const say = (bytes: number): void => bus.nc.publish('nudge.clazz', Buffer.alloc(bytes));
    say(100);
    expect(await bus.pending()).toBe(0);
    broker.freeze();
    let untaken = 0;
    // A moment later it stands still.
    while (untaken === 0) {
      say(2_000);
      untaken = await bus.pending();
    }
    broker.thaw();
    expect(untaken).toBe(2_000);
    await expect.poll(() => bus.isUp(), POLL_OPTIONS).toBe(true);
    await expect.poll(() => bus.pending(), POLL_OPTIONS).toBe(0);
    await broker.stop();
    await expect.poll(() => bus.isUp(), POLL_OPTIONS).toBe(false);
    say(3_000);
    expect(await bus.pending()).toBe(3_000);
    await start();
    await expect.poll(() => bus.pending(), POLL_OPTIONS).toBe(0);
  });
});
