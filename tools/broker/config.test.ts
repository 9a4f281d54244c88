import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { brokerConfig } from './config.ts';
import { declared } from './declared.ts';

it('deploy/nats.conf gives the rights that the contracts name ("npm run broker" writes it)', () => {
  const written = readFileSync(new URL('../../deploy/nats.conf', import.meta.url), 'utf8');
  expect(written).toBe(brokerConfig(declared));
});
