import { expect, it } from 'vitest';
import { optionsFrom } from './options.ts';

it('accepts a folder alone', () => {
  const { archive, keep, every_ms, verify, port } = optionsFrom({ BACKUP_ARCHIVE: '/backup', BACKUP_KEEP: '' });
  expect([archive.wal, keep, every_ms, verify, port]).toEqual(['/backup/wal', 7, 86_400_000, true, undefined]);
});

it('reports all problems at once', () => {
  const env = {
    BACKUP_KEEP: '0',
    BACKUP_EVERY_HOURS: 'daily',
    BACKUP_AGE_RECIPIENT: 'AGE-SECRET-KEY-1',
    BACKUP_VERIFY: 'yes',
  };
  expect(() => optionsFrom(env)).toThrow(
    /BACKUP_ARCHIVE is missing.*\nBACKUP_AGE_RECIPIENT is no public key.*\nBACKUP_VERIFY is neither.*\nBACKUP_KEEP is no number.*\nBACKUP_EVERY_HOURS is no number/,
  );
});
