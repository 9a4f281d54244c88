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
import { recordingLog } from './recording-log.ts';

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
/** Connects as a service with the password of the stack. */
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

describe('The bus', () => {
  it('is waited for at start, and the log has the reason; a refused password is tried until it is accepted', async () => {
    const recorded = recordingLog();
    const loggedTimes = (what: string): number => recorded.lines.filter(({ msg }) => msg.endsWith(what)).length;
    const REFUSED = `waiting for the bus at 127.0.0.1:${port}: the broker refuses user clazz (NATS_USER, NATS_PASSWORD)`;
    const connecting = connect(recorded);
    await expect
      .poll(() => loggedTimes(`waiting for the bus at 127.0.0.1:${port}: connection refused`), POLL_OPTIONS)
      .toBe(1);
    // It is logged again while it lasts.
    await expect.poll(() => loggedTimes('connection refused'), POLL_OPTIONS).toBe(2);
    await start(changed);
    await expect.poll(() => loggedTimes(REFUSED), POLL_OPTIONS).toBe(1);
    await start();
    const bus = await connecting;
    expect([bus.isUp(), loggedTimes('resolved')]).toEqual([true, 1]);

    let ups = 0;
    bus.onUp(() => (ups += 1));
    await start(changed);
    await expect.poll(() => loggedTimes(REFUSED), POLL_OPTIONS).toBe(3);
    expect(bus.isUp()).toBe(false);
    await start();
    await expect.poll(() => bus.isUp(), POLL_OPTIONS).toBe(true);
    await bus.nc.flush();
    expect([ups, loggedTimes('resolved')]).toEqual([1, 2]);
    expect(JSON.stringify(recorded.lines)).not.toContain(secrets.nats.clazz);
  });

  it('is no longer waited for when the process gets the signal to stop', async () => {
    await broker.stop();
    const recorded = recordingLog();
    const stop = new AbortController();
    const end = connect(recorded, stop.signal).catch((error: unknown) => error);
    await expect.poll(() => recorded.lines.length, POLL_OPTIONS).toBe(1);
    stop.abort();
    expect(await end).toMatchObject({ name: 'AbortError' });
  });

  it('fails only when its connection is closed for good', async () => {
    await start();
    const [one, other] = [await connect(), await connect()];
    let failures = 0;
    for (const { failed } of [one, other]) void failed.then(() => (failures += 1));
    await one.close();
    await other.nc.close();
    expect(await other.failed).toMatchObject({ message: 'the bus connection is closed for good' });
    expect([failures, one.isUp(), other.isUp()]).toEqual([1, false, false]);
  });

  it('sends the last published messages before it closes', async () => {
    await start();
    const [publisher, listener] = [await connect(), await connect()];
    const received: string[] = [];
    listener.nc.subscribe('nudge.clazz', { callback: (_error, message) => void received.push(message.string()) });
    await listener.nc.flush();
    publisher.publishSoon('nudge.clazz', Buffer.from('last message'));
    await publisher.close();
    await expect.poll(() => received, POLL_OPTIONS).toEqual(['last message']);
  });

  it('counts the bytes that the broker has not received: none while it runs, those sent to a frozen broker, and those sent to a stopped one', async () => {
    await start();
    const bus = await connect();
    const publish = (bytes: number): void => bus.nc.publish('nudge.clazz', Buffer.alloc(bytes));
    publish(100);
    expect(await bus.pendingBytes()).toBe(0);
    broker.freeze();
    let pending = 0;
    // The broker freezes a moment after the signal.
    while (pending === 0) {
      publish(2_000);
      pending = await bus.pendingBytes();
    }
    broker.thaw();
    expect(pending).toBe(2_000);
    await expect.poll(() => bus.isUp(), POLL_OPTIONS).toBe(true);
    await expect.poll(() => bus.pendingBytes(), POLL_OPTIONS).toBe(0);
    await broker.stop();
    await expect.poll(() => bus.isUp(), POLL_OPTIONS).toBe(false);
    publish(3_000);
    expect(await bus.pendingBytes()).toBe(3_000);
    await start();
    await expect.poll(() => bus.pendingBytes(), POLL_OPTIONS).toBe(0);
  });
});
