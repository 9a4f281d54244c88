import type { Msg, MsgCallback, PublishOptions } from '@nats-io/transport-node';
import { accessCalls } from '@teaching/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Bus } from './message-bus.ts';
import { createRequester, type Requester } from './requester.ts';
import type { ListenOptions } from './subscriptions.ts';

const DEADLINE = performance.now() + 60_000;
const { listRevokedPeople } = accessCalls;
const frame = (text: string) => Buffer.from(text);

let isMoving: boolean;
/** The subjects of the subscriptions. */
let subscribed: string[];
/** The reply subjects of the sent requests. */
let sent: string[];
let receive: MsgCallback<Msg>;
let requester: Requester;

beforeEach(() => {
  [isMoving, subscribed, sent] = [false, [], []];
  const part: Partial<Bus> = {
    user: 'gateway',
    isUp: () => true,
    isMoving: () => isMoving,
    onDown: () => () => {},
    listen: (subject: string, { callback }: ListenOptions) => {
      subscribed.push(subject);
      if (callback !== undefined) receive ??= callback;
      return { unsubscribe: () => {}, drain: async () => {} };
    },
    publishSoon: (_subject: string, _data: Uint8Array, { reply = '' }: PublishOptions = {}) => void sent.push(reply),
  };
  const bus = { ...part, nc: { info: { max_payload: 1_000 } } } as unknown as Bus;
  receive = undefined as unknown as MsgCallback<Msg>;
  requester = createRequester(bus, ['course']);
});

/** Delivers a reply. */
const reply = (subject: string | undefined, text: string): void =>
  void receive(null, { subject, data: frame(text) } as unknown as Msg);
const call = async (): Promise<string> =>
  Buffer.from(await requester.call(listRevokedPeople, { request_id: 'one', deadline: DEADLINE }, '?')).toString();

describe('The reply subject', () => {
  it('of an answered call is used again for the next call to the same service', async () => {
    const first = call();
    reply(sent[0], 'one');
    expect(await first).toBe('one');
    const second = call();
    expect(sent[1]).toBe(sent[0]);
    reply(sent[1], 'two');
    expect(await second).toBe('two');
  });

  it('differs between two pending calls', async () => {
    const both = [call(), call()];
    expect(sent[1]).not.toBe(sent[0]);
    for (const subject of sent) reply(subject, subject);
    expect(await Promise.all(both)).toEqual(sent);
  });

  it('of a call that was answered while the bus moves is not used again, since the reply arrives twice', async () => {
    const first = call();
    isMoving = true;
    reply(sent[0], 'one');
    await first;
    const second = call();
    reply(sent[0], 'one');
    reply(sent[1], 'two');
    expect(await second).toBe('two');
  });

  it('of a request is not used again, since several instances may answer', async () => {
    const first = requester.request('gateway', 'peer.gateway.limits.all', frame('?'), DEADLINE);
    reply(sent[0], 'one');
    await first;
    const second = requester.request('gateway', 'peer.gateway.limits.all', frame('?'), DEADLINE);
    reply(sent[0], 'another answer to the first');
    reply(sent[1], 'two');
    expect(Buffer.from(await second).toString()).toBe('two');
  });
});

it('the requester subscribes to the heartbeats of a service at the first call to it, and to those that show that the broker delivers', () => {
  const heartbeats = () => subscribed.filter((subject) => subject.startsWith('beat.'));
  expect(heartbeats()).toEqual([]);
  for (let n = 0; n < 2; n += 1) void call();
  expect(heartbeats()).toEqual(['beat.clazz', 'beat.course']);
});
