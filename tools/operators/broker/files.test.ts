import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { usersConfig } from './config.ts';
import { declarations } from './declarations.ts';
import { brokerStep, readLogins, readReaders, writeBroker, writeLogins, writeReaders } from './files.ts';
import { BROKER_FOLDER, INSTALLATION_FOLDER } from './folders.ts';
import { Reader } from './outside-reader.ts';
import { LOGS, newKey } from './reader-account.ts';
import { Login } from './user-login.ts';

const ROOT = join(import.meta.dirname, '../../..');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'teaching-broker-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the configuration of an installation contains its readers and its logins, whichever was written last', () => {
  const path = join(folder, 'new');
  const readers = [Reader.parse({ name: 'lake', nkey: newKey().nkey, org_id: null, logs: LOGS.slice(0, 1) })];
  const logins = [Login.parse({ user: 'clazz', nkeys: [newKey().nkey], password: false })];
  writeReaders(path, readers);
  writeLogins(path, logins);
  expect([readReaders(path), readLogins(path)]).toEqual([readers, logins]);
  const expected = usersConfig(declarations, readers, logins);
  expect(readFileSync(join(path, 'users.conf'), 'utf8')).toBe(expected);
  writeBroker(path);
  expect(readFileSync(join(path, 'users.conf'), 'utf8')).toBe(expected);
});

it('the broker must be restarted when the first configuration of its installation is written, then reloaded', () => {
  const path = join(folder, 'installed');
  expect(brokerStep(path, path)).toMatch(/^restart the broker now/);
  // A broker that another folder configures uses that folder already.
  expect(brokerStep(path)).toBe('reload the broker now');
  writeBroker(path);
  expect(brokerStep(path, path)).toBe('reload the broker now');
});

it('the configuration of the release is never overwritten by that of an installation', () => {
  const before = readFileSync(join(BROKER_FOLDER, 'users.conf'), 'utf8');
  for (const write of [writeBroker, (path: string) => writeReaders(path, []), (path: string) => writeLogins(path, [])])
    expect(() => write(join(BROKER_FOLDER, '.'))).toThrow('has the configuration of the release');
  expect(readFileSync(join(BROKER_FOLDER, 'users.conf'), 'utf8')).toBe(before);
});

it('the commands of operators write to a folder that git ignores', () => {
  expect(INSTALLATION_FOLDER).toBe(join(ROOT, 'deploy/nats/installation/'));
  expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).toContain('deploy/nats/installation/');
  for (const name of ['readers', 'logins', 'nats', 'org']) {
    const text = readFileSync(join(ROOT, `tools/operators/cli/commands/${name}.ts`), 'utf8');
    expect(text).toContain('INSTALLATION_FOLDER');
    expect(text).not.toContain('BROKER_FOLDER');
  }
});
