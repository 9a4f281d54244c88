import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BROKER_CONFIG, TLS_CONFIG, usersConfig } from './config.ts';
import { declarations } from './declarations.ts';
import { BROKER_FOLDER } from './folders.ts';

it('deploy/nats/users.conf has the permissions that the contracts require ("npm run broker" writes it)', () => {
  expect(readFileSync(`${BROKER_FOLDER}users.conf`, 'utf8')).toBe(usersConfig(declarations));
  expect(readFileSync(`${BROKER_FOLDER}nats.conf`, 'utf8')).toBe(BROKER_CONFIG);
  expect(readFileSync(`${BROKER_FOLDER}nats-tls.conf`, 'utf8')).toBe(TLS_CONFIG);
});
