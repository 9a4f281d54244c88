import { connect, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { describe, expect, inject, test } from 'vitest';
import { type NATS_USERS, SERVICES } from './secrets.ts';

type User = (typeof NATS_USERS)[number];

const { natsUrl, secrets } = inject('stack');

const connected = (user: User): Promise<NatsConnection> =>
  connect({ servers: natsUrl, user, pass: secrets.nats[user], inboxPrefix: `_INBOX_${user}`, reconnect: false });

/** Whether the server refuses what `act` does, told on the connection's own error stream. */
const isRefused = async (user: User, act: (bus: NatsConnection) => void): Promise<boolean> => {
  const bus = await connected(user);
  const violations: unknown[] = [];
  const watching = (async () => {
    for await (const status of bus.status())
      if (status.type === 'error' && status.error instanceof PermissionViolationError) violations.push(status.error);
  })();
  act(bus);
  // The server answers in order: what it had to say about `act` is here before the second answer.
  await bus.flush();
  await bus.flush();
  await bus.close();
  await watching;
  return violations.length > 0;
};

const publish = (subject: string) => (bus: NatsConnection) => bus.publish(subject);
const subscribe = (subject: string) => (bus: NatsConnection) => void bus.subscribe(subject, { callback: () => {} });

describe('the gateway', () => {
  test.each(['call.clazz.clazz.read', '$SRV.PING'])('may publish %s', async (subject) => {
    expect(await isRefused('gateway', publish(subject))).toBe(false);
  });
  test.each(['evt.o.clazz.a.b', '$JS.API.INFO', '_INBOX_clazz.x', 'nudge.clazz'])('may not publish %s', async (s) => {
    expect(await isRefused('gateway', publish(s))).toBe(true);
  });
  test.each(['call.>', 'evt.>', '_INBOX_clazz.>', '>'])('may not subscribe to %s', async (subject) => {
    expect(await isRefused('gateway', subscribe(subject))).toBe(true);
  });
});

/** Durable consumers: of each service, and one that is not its own. */
const CONSUMERS = {
  clazz: { own: ['clazz_clazz'], other: 'stats_clazz' },
  course: { own: [], other: 'stats_course' },
  package: { own: [], other: 'stats_clazz' },
  stats: { own: ['stats_clazz', 'stats_course', 'stats_package'], other: 'clazz_clazz' },
} as const;

describe.each(SERVICES)('the service %s', (own) => {
  const other = own === 'clazz' ? 'course' : 'clazz';
  const consumers = CONSUMERS[own];

  test.each([
    `call.${other}.a.read`,
    `evt.o.${own}.a.b`,
    `nudge.${own}`,
    '_INBOX_gateway.x',
    ...consumers.own.flatMap((name) => [
      `$JS.API.CONSUMER.MSG.NEXT.EVENTS.${name}`,
      `$JS.ACK.EVENTS.${name}.1.2.3.4.5`,
    ]),
  ])('may publish %s', async (subject) => {
    expect(await isRefused(own, publish(subject))).toBe(false);
  });

  test.each([
    `evt.o.${other}.a.b`,
    `nudge.${other}`,
    '$JS.API.STREAM.DELETE.EVENTS',
    '$JS.API.STREAM.PURGE.EVENTS',
    '$JS.API.STREAM.CREATE.OTHER',
    `$JS.API.CONSUMER.DELETE.EVENTS.${consumers.other}`,
    `$JS.API.CONSUMER.MSG.NEXT.EVENTS.${consumers.other}`,
    `$JS.ACK.EVENTS.${consumers.other}.1.2.3.4.5`,
  ])('may not publish %s', async (subject) => {
    expect(await isRefused(own, publish(subject))).toBe(true);
  });

  test.each([`call.${own}.>`, 'evt.>', `nudge.${own}`, '$SRV.PING'])('may subscribe to %s', async (subject) => {
    expect(await isRefused(own, subscribe(subject))).toBe(false);
  });

  test.each([`call.${other}.>`, 'call.>', '_INBOX_gateway.>', `nudge.${other}`, '$JS.>', '>'])(
    'may not subscribe to %s',
    async (subject) => {
      expect(await isRefused(own, subscribe(subject))).toBe(true);
    },
  );
});

test('a wrong password is refused', async () => {
  await expect(connect({ servers: natsUrl, user: 'gateway', pass: 'wrong', reconnect: false })).rejects.toThrow(
    /authorization/i,
  );
});
