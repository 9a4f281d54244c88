import { connect, type NatsConnection } from '@nats-io/transport-node';
import { describe, expect, inject, test } from 'vitest';
import { isViolation } from '../../../proofs/test/violations.ts';
import { type NATS_USERS, SERVICES } from './secrets.ts';

type User = (typeof NATS_USERS)[number];

const { natsUrl, secrets } = inject('stack');

const connected = (user: User): Promise<NatsConnection> =>
  connect({ servers: natsUrl, user, pass: secrets.nats[user], inboxPrefix: `_INBOX_${user}`, reconnect: false });

const isRefused = async (user: User, act: (bus: NatsConnection) => void): Promise<boolean> =>
  isViolation(await connected(user), act);

const publish = (subject: string) => (bus: NatsConnection) => bus.publish(subject);
const subscribe = (subject: string) => (bus: NatsConnection) => void bus.subscribe(subject, { callback: () => {} });

describe('the gateway', () => {
  const OWN = ['peer.gateway.group.all', '_INBOX_gateway.gateway.id.key', 'hint.watched'];
  test.each(['call.clazz.any.gateway.clazz.read', 'call.stats.one.gateway.ping', ...OWN])(
    'may publish %s',
    async (subject) => {
      expect(await isRefused('gateway', publish(subject))).toBe(false);
    },
  );
  test.each(['peer.gateway.group.all', 'hint.*.o'])('may subscribe to %s', async (subject) => {
    expect(await isRefused('gateway', subscribe(subject))).toBe(false);
  });
  const FOREIGN = [
    'evt.o.clazz.a.b',
    '$SRV.PING',
    'log.clazz.read.gateway',
    '$JS.API.INFO',
    '_INBOX_clazz.x',
    // Replies that name a service.
    '_INBOX_gateway.clazz.id.key',
    '_INBOX_gateway.id',
    'nudge.clazz',
    'beat.clazz',
    'hint.clazz.o',
  ];
  test.each([...FOREIGN, 'call.clazz.any.course.clazz.read', 'call.clazz.clazz.read'])(
    'may not publish %s',
    async (s) => {
      expect(await isRefused('gateway', publish(s))).toBe(true);
    },
  );
  test.each(['call.>', 'evt.>', '_INBOX_clazz.>', '>'])('may not subscribe to %s', async (subject) => {
    expect(await isRefused('gateway', subscribe(subject))).toBe(true);
  });
});

/** The streams of a service, the services whose logs it reads, and the calls it may send to another. */
const LOGS = {
  clazz: {
    streams: ['EVENTS_CLAZZ', 'AUDIT_CLAZZ'],
    reads: ['clazz'],
    other: 'EVENTS_COURSE',
    asks: ['call.course.any.clazz.reference.check', 'call.course.one.clazz.ping'],
  },
  course: {
    streams: ['EVENTS_COURSE'],
    reads: ['clazz'],
    other: 'EVENTS_CLAZZ',
    asks: ['call.clazz.any.course.roster.get', 'call.package.one.course.reference.count'],
  },
  package: {
    streams: ['EVENTS_PACKAGE'],
    reads: [],
    other: 'EVENTS_COURSE',
    asks: ['call.clazz.any.package.policy.currency'],
  },
  stats: { streams: [], reads: ['clazz', 'course'], other: 'EVENTS_CLAZZ', asks: [] },
} as const;

describe.each(SERVICES)('the service %s', (own) => {
  const other = own === 'clazz' ? 'course' : 'clazz';
  const { streams, reads, other: foreign, asks } = LOGS[own];

  test.each([
    ...asks,
    `beat.${own}`,
    `nudge.${own}`,
    `_INBOX_gateway.${own}.id.key`,
    ...streams.flatMap((name) => [`$JS.API.STREAM.INFO.${name}`, `$JS.API.STREAM.CREATE.${name}`]),
    ...(streams.length === 0 ? [] : [`evt.o.${own}.a.b`, `log.${own}.head`, `hint.${own}.o`]),
    ...reads.flatMap((name) => [`log.${name}.read.${own}`, `log.${name}.reach.${own}`]),
  ])('may publish %s', async (subject) => {
    expect(await isRefused(own, publish(subject))).toBe(false);
  });

  test.each([
    `evt.o.${other}.a.b`,
    `audit.o.${other}.a.b`,
    `nudge.${other}`,
    `beat.${other}`,
    `hint.${other}.o`,
    'hint.watched',
    // The gateway sends calls for people; services send the calls that are declared for them.
    `call.${other}.any.${own}.clazz.create`,
    `call.${other}.any.${own}.course.create`,
    'call.stats.any.course.rebuild.begin',
    `call.${other}.any.${other}.a.read`,
    `call.${other}.any.gateway.a.read`,
    'peer.gateway.group.all',
    `log.${other}.head`,
    `log.package.read.${own}`,
    `log.clazz.read.${other}`,
    '_INBOX_other.x',
    // Replies in the name of another service, or of none.
    `_INBOX_gateway.${other}.id.key`,
    '_INBOX_gateway.gateway.id.key',
    '_INBOX_gateway.id',
    '_INBOX_gateway.id.key',
    `_INBOX_admin.${other}.id.key`,
    `_INBOX_${other}.id`,
    '$SRV.PING',
    `$JS.API.STREAM.CREATE.${foreign}`,
    `$JS.API.STREAM.MSG.GET.${foreign}`,
    '$JS.API.STREAM.CREATE.OTHER',
    ...[foreign, ...streams].flatMap((name) =>
      ['UPDATE', 'DELETE', 'PURGE', 'MSG.DELETE'].map((act) => `$JS.API.STREAM.${act}.${name}`),
    ),
    `$JS.API.CONSUMER.CREATE.${foreign}`,
  ])('may not publish %s', async (subject) => {
    expect(await isRefused(own, publish(subject))).toBe(true);
  });

  test.each(reads.flatMap((name) => [`evt.*.${name}.>`, `log.${name}.head`].slice(name === own ? 1 : 0)))(
    'may subscribe to %s',
    async (subject) => {
      expect(await isRefused(own, subscribe(subject))).toBe(false);
    },
  );

  test.each([`call.${own}.*.*.>`, `call.${own}.any.*.>`, 'beat.*', `nudge.${own}`])(
    'may subscribe to %s',
    async (subject) => {
      expect(await isRefused(own, subscribe(subject))).toBe(false);
    },
  );

  test.each([
    `call.${other}.>`,
    'call.>',
    '$SRV.PING',
    '_INBOX_gateway.>',
    `nudge.${other}`,
    '$JS.>',
    'evt.>',
    'audit.>',
    'peer.gateway.*.*',
    `hint.${other}.o`,
    `hint.${own}.o`,
    '>',
  ])('may not subscribe to %s', async (subject) => {
    expect(await isRefused(own, subscribe(subject))).toBe(true);
  });
});

test('a wrong password is refused', async () => {
  await expect(connect({ servers: natsUrl, user: 'gateway', pass: 'wrong', reconnect: false })).rejects.toThrow(
    /authorization/i,
  );
});
