import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Role } from '../../../libs/contracts/src/index.ts';
import { createCallerSigner, decodeReply } from '../../../libs/kit/src/index.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { POLL_OPTIONS } from './poll-options.ts';

/** Whoever holds a service's credentials, or stands at the broker itself. */
let fixture: Fixture;
let nc: NatsConnection;
const heard: Msg[] = [];

beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz'] });
  const { admin } = inject('stack').secrets.nats;
  nc = await connect({ servers: fixture.nats.url, user: 'admin', pass: admin });
  for (const inbox of [
    '_INBOX_gateway.*.forged',
    '_INBOX_package.*.forged',
    '_INBOX_course.*.forged',
    '$JS.API.INFO',
  ]) {
    nc.subscribe(inbox, { callback: (_error, message) => void heard.push(message) });
  }
  await nc.flush();
});
afterAll(async () => {
  await nc?.close();
  await fixture?.stop();
});
beforeEach(() => {
  heard.length = 0;
});

const ours = (): KeyObject =>
  createPrivateKey({
    key: Buffer.from(inject('stack').secrets.caller.seal, 'base64url'),
    format: 'der',
    type: 'pkcs8',
  });
const sealed = (key = ours(), seconds = 60, roles: readonly Role[] = ['SUPERVISOR']): string =>
  createCallerSigner(key)({ org_id: fixture.org, user_id: 'boss', roles, exp: Date.now() / 1_000 + seconds });
const ask = (from: string, endpoint: string, caller: unknown, reply: string, body: object): void => {
  // Written by hand: whoever sends it may write anything.
  const head = { request_id: randomUUID(), deadline: Date.now() + 5_000, caller };
  nc.publish(`call.clazz.any.${from}.${endpoint}`, Buffer.from(`${JSON.stringify(head)}\n${JSON.stringify(body)}`), {
    reply,
  });
};
const create = (from: string, caller: unknown, reply = `_INBOX_${from}.clazz.forged`): void =>
  ask(from, 'clazz.create', caller, reply, { name: 'Forged', lead_teacher_id: 'boss' });
const answered = async () => {
  await expect.poll(() => heard.length, POLL_OPTIONS).toBe(1);
  const [message] = heard.splice(0);
  return { subject: message?.subject, ...decodeReply(message?.data ?? new Uint8Array()).head };
};
const classes = () => fixture.sql('select 1 from clazz.clazz');

describe('the bus', () => {
  it('serves whom the gateway sealed', async () => {
    create('gateway', sealed());
    expect(await answered()).toMatchObject({ status: 201 });
    await fixture.sql('truncate clazz.clazz cascade');
  });

  it.each([
    ['by another service, with a true caller', 'package', () => sealed()],
    ['without a caller', 'gateway', () => undefined],
    ['for a caller that is no text', 'gateway', () => 5],
    ['for a caller whom somebody else sealed', 'gateway', () => sealed(generateKeyPairSync('ed25519').privateKey)],
    ['for a caller whose time is over', 'gateway', () => sealed(ours(), -120)],
    ['for a caller without the role', 'gateway', () => sealed(ours(), 60, ['STUDENT'])],
  ])('refuses what is for people when it is asked %s', async (_what, from, caller) => {
    create(from, caller());
    expect(await answered()).toMatchObject({ status: 403 });
    expect(await classes()).toEqual([]);
  });

  it('answers a service what is declared for it, and nothing that is for another', async () => {
    ask('course', 'roster.get', sealed(), '_INBOX_course.clazz.forged', { student_id: 's' });
    expect(await answered()).toMatchObject({ status: 200 });
    ask('package', 'roster.get', sealed(), '_INBOX_package.clazz.forged', { student_id: 's' });
    expect(await answered()).toMatchObject({ status: 403 });
  });

  it('gives of a rate limit to gateways only, and to no other subject than theirs', async () => {
    const beats: string[] = [];
    const listening = nc.subscribe('peer.gateway.*.beat', {
      callback: (_error, { subject }) => void beats.push(subject),
    });
    await expect.poll(() => beats.length, POLL_OPTIONS).toBeGreaterThan(0);
    listening.unsubscribe();
    const all = beats[0]?.replace(/beat$/, 'all') ?? '';
    const question = Buffer.from('{"who_is_there":"x"}');
    // What the gateway itself may say elsewhere is no place for answers.
    const elsewhere = 'call.clazz.any.gateway.forged';
    nc.subscribe(elsewhere, { callback: (_error, message) => void heard.push(message) });
    for (const reply of ['$JS.API.INFO', '_INBOX_package.gateway.forged', '_INBOX_gateway.clazz.forged', elsewhere])
      nc.publish(all, question, { reply });
    for (const odd of ['', 'x', '{}', '{"limit":"user","key":"x","units":-1}', '{"limit":"x","key":"x","units":1}'])
      nc.publish(all, odd, { reply: '_INBOX_gateway.gateway.forged' });
    // What is asked after it is answered after it.
    nc.publish(all, question, { reply: '_INBOX_gateway.gateway.forged' });
    await expect.poll(() => heard.length, POLL_OPTIONS).toBe(1);
    const [{ subject, data } = { subject: '', data: new Uint8Array() }] = heard;
    expect([subject, JSON.parse(Buffer.from(data).toString())]).toEqual([
      '_INBOX_gateway.gateway.forged',
      { ids: [expect.any(String)] },
    ]);
  });

  it.each(['_INBOX_gateway.clazz.forged', '_INBOX_course.package.forged', '$JS.API.INFO', '_INBOX_course.clazz'])(
    'replies to the caller in its own name, and to no other subject that a request names: %s',
    async (reply) => {
      ask('course', 'roster.get', sealed(), reply, { student_id: 's' });
      create('course', sealed(), reply);
      // What is asked after it is answered after it.
      ask('course', 'roster.get', sealed(), '_INBOX_course.clazz.forged', { student_id: 's' });
      expect(await answered()).toMatchObject({ subject: '_INBOX_course.clazz.forged', status: 200 });
      expect([heard.length, await classes()]).toEqual([0, []]);
    },
  );
});
