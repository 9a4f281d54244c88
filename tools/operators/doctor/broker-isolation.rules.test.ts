import { expect, it } from 'vitest';
import { isOnThisMachine } from './broker-isolation.rules.ts';

it.each([
  ['nats://127.0.0.1:4222', true],
  ['localhost:4222', true],
  ['tls://[::1]:4222', true],
  ['nats://nats:4222', false],
  ['nats://127.0.0.1:4222, nats://broker.example:4222', false],
])('the broker at %s is on this machine: %s', (url, isHere) => {
  expect(isOnThisMachine(url)).toBe(isHere);
});
