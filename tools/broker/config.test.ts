import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BROKER_CONFIG, TLS_CONFIG, usersConfig } from './config.ts';
import { declared } from './declared.ts';
import { DEPLOY, readLogins, readReaders } from './files.ts';

it('deploy/users.conf gives the rights that the contracts name ("npm run broker" writes it)', () => {
  expect(readFileSync(`${DEPLOY}users.conf`, 'utf8')).toBe(
    usersConfig(declared, readReaders(DEPLOY), readLogins(DEPLOY)),
  );
  expect(readFileSync(`${DEPLOY}nats.conf`, 'utf8')).toBe(BROKER_CONFIG);
  expect(readFileSync(`${DEPLOY}nats-tls.conf`, 'utf8')).toBe(TLS_CONFIG);
});
