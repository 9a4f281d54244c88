import { expect, it } from 'vitest';
import { exposition } from './figures.ts';
import { optionsFrom } from './options.ts';

it('a folder is enough', () => {
  const { archive, keep, every_ms, verify, port } = optionsFrom({ BACKUP_ARCHIVE: '/backup', BACKUP_KEEP: '' });
  expect([archive.wal, keep, every_ms, verify, port]).toEqual(['/backup/wal', 7, 86_400_000, true, undefined]);
});

it('says everything that is wrong at once', () => {
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

it('figures are told as Prometheus reads them, and what is not known is left out', () => {
  const base = { finished_at: new Date('2026-11-21T10:00:00Z'), bytes: 1_000, count: 2 };
  const state = { base, held: 5, trouble: new Map([['store', 'no room'] as const]) };
  const told = exposition(state, new Date('2026-11-21T10:01:30Z'));
  expect(told).toContain('# TYPE teaching_backup_age gauge\nteaching_backup_age 90\n');
  expect(told).toContain('teaching_backup_trouble{duty="store"} 1\n');
  expect(told).toContain('teaching_backup_trouble{duty="base"} 0\n');
  expect(told).not.toMatch(/^teaching_backup_log_age /m);
});
