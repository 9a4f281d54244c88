import type { Msg, MsgCallback, PublishOptions } from '@nats-io/transport-node';
import { accessCalls } from '@teaching/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Bus } from './connect.ts';
import { createRequester, type Requester } from './requester.ts';
import type { ListenOptions } from './subscriptions.ts';

const SOON = Date.now() + 60_000;
const { listRevokedPeople } = accessCalls;
const frame = (text: string) => Buffer.from(text);

let isMoving: boolean;
/** The subjects that are listened to. */
let heard: string[];
/** The reply subjects of what was sent. */
let sent: string[];
let receive: MsgCallback<Msg>;
let requester: Requester;

beforeEach(() => {
  [isMoving, heard, sent] = [false, [], []];
  const bus = {
    user: 'gateway',
    nc: { info: { max_payload: 1_000 } },
    isUp: () => true,
    isMoving: () => isMoving,
    onDown: () => () => {},
    listen: (subject: string, { callback }: ListenOptions) => {
      heard.push(subject);
      if (callback !== undefined) receive ??= callback;
      return { unsubscribe: () => {}, drain: async () => {} };
    },
    publishSoon: (_subject: string, _data: Uint8Array, { reply = '' }: PublishOptions = {}) => void sent.push(reply),
  } as unknown as Bus;
  receive = undefined as unknown as MsgCallback<Msg>;
  requester = createRequester(bus, ['course']);
});

/** A reply comes. */
const reply = (subject: string | undefined, text: string): void =>
  void receive(null, { subject, data: frame(text) } as unknown as Msg);
const call = async (): Promise<string> =>
  Buffer.from(await requester.call(listRevokedPeople, frame('?'), SOON)).toString();

describe('the reply subject', () => {
  it('of an answered call is that of the next one to the same service', async () => {
    const first = call();
    reply(sent[0], 'one');
    expect(await first).toBe('one');
    const second = call();
    expect(sent[1]).toBe(sent[0]);
    reply(sent[1], 'two');
    expect(await second).toBe('two');
  });

  it('of two calls under way is never the same', async () => {
    const both = [call(), call()];
    expect(sent[1]).not.toBe(sent[0]);
    for (const subject of sent) reply(subject, subject);
    expect(await Promise.all(both)).toEqual(sent);
  });

  it('of a call that was answered while the bus moves is used by no other, since the reply comes twice', async () => {
    const first = call();
    isMoving = true;
    reply(sent[0], 'one');
    await first;
    const second = call();
    reply(sent[0], 'one');
    reply(sent[1], 'two');
    expect(await second).toBe('two');
  });

  it('of a request is used by no other, since several may answer', async () => {
    const asked = requester.request('gateway', 'peer.gateway.limits.all', frame('?'), SOON);
    reply(sent[0], 'one');
    await asked;
    const again = requester.request('gateway', 'peer.gateway.limits.all', frame('?'), SOON);
    reply(sent[0], 'another answer to the first');
    reply(sent[1], 'two');
    expect(Buffer.from(await again).toString()).toBe('two');
  });
});

it('heartbeats are heard from the first call to a service on, beside those that show that the broker delivers', () => {
  const heartbeats = () => heard.filter((subject) => subject.startsWith('beat.'));
  expect(heartbeats()).toEqual([]);
  for (let n = 0; n < 2; n += 1) void call();
  expect(heartbeats()).toEqual(['beat.clazz', 'beat.course']);
});
