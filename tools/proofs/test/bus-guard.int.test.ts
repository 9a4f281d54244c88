import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Role } from '../../../libs/contracts/src/index.ts';
import { createCallerSigner, decodeReply } from '../../../libs/kit/src/index.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { POLL_OPTIONS } from './poll-options.ts';

/** The attacker has all rights in the account of the class service. */
let fixture: Fixture;
let nc: NatsConnection;
const received: Msg[] = [];

beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz'] });
  const { admin } = inject('stack').secrets.nats;
  nc = await connect({ servers: fixture.nats.url, user: 'admin_clazz', pass: admin });
  for (const inbox of [
    '_INBOX_gateway.*.forged',
    '_INBOX_package.*.forged',
    '_INBOX_course.*.forged',
    '$JS.API.INFO',
  ]) {
    nc.subscribe(inbox, { callback: (_error, message) => void received.push(message) });
  }
  await nc.flush();
});
afterAll(async () => {
  await nc?.close();
  await fixture?.stop();
});
beforeEach(() => {
  received.length = 0;
});

const gatewayKey = (): KeyObject =>
  createPrivateKey({
    key: Buffer.from(inject('stack').secrets.caller.seal, 'base64url'),
    format: 'der',
    type: 'pkcs8',
  });
const signedCaller = (key = gatewayKey(), seconds = 60, roles: readonly Role[] = ['SUPERVISOR']): string =>
  createCallerSigner(key)({ org_id: fixture.org, user_id: 'boss', roles, exp: Date.now() / 1_000 + seconds });
const sendRequest = (from: string, endpoint: string, caller: unknown, reply: string, body: object): void => {
  // Not sent by the kit, because an attacker may write anything.
  const head = { request_id: randomUUID(), deadline: Date.now() + 5_000, caller };
  nc.publish(`call.clazz.any.${from}.${endpoint}`, Buffer.from(`${JSON.stringify(head)}\n${JSON.stringify(body)}`), {
    reply,
  });
};
const create = (from: string, caller: unknown, reply = `_INBOX_${from}.clazz.forged`): void =>
  sendRequest(from, 'clazz.create', caller, reply, { name: 'Forged', lead_teacher_id: 'boss' });
const nextReply = async () => {
  await expect.poll(() => received.length, POLL_OPTIONS).toBe(1);
  const [message] = received.splice(0);
  return { subject: message?.subject, ...decodeReply(message?.data ?? new Uint8Array()).head };
};
const classes = () => fixture.sql('select 1 from clazz.clazz');

describe('A service on the bus', () => {
  it('answers a request whose caller the gateway signed', async () => {
    create('gateway', signedCaller());
    expect(await nextReply()).toMatchObject({ status: 201 });
    await fixture.sql('truncate clazz.clazz cascade');
  });

  it.each([
    ['from another service with a valid caller', 'package', () => signedCaller()],
    ['without a caller', 'gateway', () => undefined],
    ['with a caller that is not a string', 'gateway', () => 5],
    ['with a caller that another key signed', 'gateway', () => signedCaller(generateKeyPairSync('ed25519').privateKey)],
    ['with an expired caller', 'gateway', () => signedCaller(gatewayKey(), -7_300)],
    ['with a caller without the role', 'gateway', () => signedCaller(gatewayKey(), 60, ['STUDENT'])],
  ])('refuses a call for people %s', async (_case, from, caller) => {
    create(from, caller());
    expect(await nextReply()).toMatchObject({ status: 403 });
    expect(await classes()).toEqual([]);
  });

  it('answers calls that its contract declares for the calling service, and refuses other calls', async () => {
    sendRequest('course', 'roster.get', signedCaller(), '_INBOX_course.clazz.forged', { student_id: 's' });
    expect(await nextReply()).toMatchObject({ status: 200 });
    sendRequest('package', 'roster.get', signedCaller(), '_INBOX_package.clazz.forged', { student_id: 's' });
    expect(await nextReply()).toMatchObject({ status: 403 });
  });

  it('replies about rate limits only to gateways and only on their inbox subjects', async () => {
    const { gateway: pass } = inject('stack').secrets.nats;
    const gateway = await connect({ servers: fixture.nats.url, user: 'gateway', pass, inboxPrefix: '_INBOX_gateway' });
    const keep = (_error: Error | null, message: Msg): void => void received.push(message);
    gateway.subscribe('_INBOX_gateway.*.forged', { callback: keep });
    const heartbeats: string[] = [];
    const listening = gateway.subscribe('peer.gateway.*.beat', {
      callback: (_error, { subject }) => void heartbeats.push(subject),
    });
    await expect.poll(() => heartbeats.length, POLL_OPTIONS).toBeGreaterThan(0);
    listening.unsubscribe();
    const all = heartbeats[0]?.replace(/beat$/, 'all') ?? '';
    const question = Buffer.from('{"who_is_there":"x"}');
    // A gateway may publish to this subject, but it is no inbox.
    const elsewhere = 'call.clazz.any.gateway.forged';
    nc.subscribe(elsewhere, { callback: keep });
    await nc.flush();
    for (const reply of ['$JS.API.INFO', '_INBOX_package.gateway.forged', '_INBOX_gateway.clazz.forged', elsewhere])
      gateway.publish(all, question, { reply });
    for (const odd of ['', 'x', '{}', '{"limit":"user","key":"x","units":-1}', '{"limit":"x","key":"x","units":1}'])
      gateway.publish(all, odd, { reply: '_INBOX_gateway.gateway.forged' });
    // Replies arrive in order, so a reply to this request shows that the others got none.
    gateway.publish(all, question, { reply: '_INBOX_gateway.gateway.forged' });
    await expect.poll(() => received.length, POLL_OPTIONS).toBe(1);
    const [{ subject, data } = { subject: '', data: new Uint8Array() }] = received;
    expect([subject, JSON.parse(Buffer.from(data).toString())]).toEqual([
      '_INBOX_gateway.gateway.forged',
      { ids: [expect.any(String)] },
    ]);
    await gateway.close();
  });

  it.each(['_INBOX_gateway.clazz.forged', '_INBOX_course.package.forged', '$JS.API.INFO', '_INBOX_course.clazz'])(
    'sends no reply to a subject that is not an inbox of the caller: %s',
    async (reply) => {
      sendRequest('course', 'roster.get', signedCaller(), reply, { student_id: 's' });
      create('course', signedCaller(), reply);
      // Replies arrive in order, so a reply to this request shows that the others got none.
      sendRequest('course', 'roster.get', signedCaller(), '_INBOX_course.clazz.forged', { student_id: 's' });
      expect(await nextReply()).toMatchObject({ subject: '_INBOX_course.clazz.forged', status: 200 });
      expect([received.length, await classes()]).toEqual([0, []]);
    },
  );
});
