import { EventEmitter } from 'node:events';
import type { FastifyRequest } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createResponseDelay } from './response-delay.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Requests of one connection, and a way to end it. */
const connection = () => {
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  return {
    request: () => ({ raw: { socket } }) as unknown as FastifyRequest,
    end: () => {
      socket.destroyed = true;
      socket.emit('close');
    },
  };
};

it('continues one request per connection and delay', async () => {
  const hold = createResponseDelay(1_000, () => 0.5);
  const [one, other] = [connection(), connection()];
  const done: string[] = [];
  const ask = (name: string, of: typeof one) => void hold(of.request()).then((still) => done.push(`${name} ${still}`));
  ask('one 1', one);
  ask('one 2', one);
  ask('other 1', other);
  await vi.advanceTimersByTimeAsync(999);
  expect(done).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(done).toEqual(['one 1 true', 'other 1 true']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(done).toEqual(['one 1 true', 'other 1 true', 'one 2 true']);
});

it('continues requests that arrived together at different times', async () => {
  const chances = [0, 1];
  const hold = createResponseDelay(1_000, () => chances.shift() ?? 0.5);
  const done: string[] = [];
  for (const name of ['soon', 'late']) void hold(connection().request()).then(() => done.push(name));
  await vi.advanceTimersByTimeAsync(501);
  expect(done).toEqual(['soon']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(done).toEqual(['soon', 'late']);
});

it('ends the delays of a closed connection and reports that the client has disconnected', async () => {
  const hold = createResponseDelay(1_000);
  const one = connection();
  const asked = [hold(one.request()), hold(one.request())];
  one.end();
  expect(await Promise.all(asked)).toEqual([false, false]);
  expect(vi.getTimerCount()).toBe(0);
});
