import { expect, it } from 'vitest';
import { isolatesAccounts } from './broker-isolation.rules.ts';

it.each([
  ['2.9.10', false],
  ['2.10.29', false],
  ['2.11.14', false],
  ['2.11.15', true],
  ['2.12.5', false],
  ['2.12.6', true],
  ['2.12.15-alpine', true],
  ['2.13.0', true],
  ['2.15.1', true],
  ['3.0.0', true],
])('nats-server %s isolates accounts: %s', (version, isolates) => {
  expect(isolatesAccounts(version)).toBe(isolates);
});
