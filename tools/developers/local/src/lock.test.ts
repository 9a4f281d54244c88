import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AlreadyRunning, lockFolder } from './lock.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a folder is locked once, and again after its release', () => {
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(AlreadyRunning);
  unlock();
  expect(existsSync(join(folder, 'lock'))).toBe(false);
  expect(() => lockFolder(folder)).not.toThrow();
});

test('the lock of a killed process is taken over', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  writeFileSync(join(folder, 'lock'), `${pid}@1`);
  expect(() => lockFolder(folder)).not.toThrow();
});

test.runIf(process.platform === 'linux')('a reused process id does not hold the lock', () => {
  writeFileSync(join(folder, 'lock'), `${process.pid}@1`);
  expect(() => lockFolder(folder)).not.toThrow();
});
