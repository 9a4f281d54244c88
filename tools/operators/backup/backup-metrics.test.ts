import { expect, it } from 'vitest';
import { metricsText } from './backup-metrics.ts';
import { DUTIES, type State } from './keeper.ts';

const now = new Date('2026-11-20T12:00:00Z');
const NOTHING: State = { since: new Date('2026-11-20T11:58:00Z'), held: 0, trouble: new Map() };
/** Values by name and labels. */
const told = (state: State): Record<string, string> =>
  Object.fromEntries(
    metricsText(state, now)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(' ') as [string, string]),
  );

it('reports ages in seconds, counts a missing backup from the start of the process, and omits unknown values', () => {
  expect(told(NOTHING)).toEqual({
    teaching_backup_age: '120',
    teaching_backup_log_age: '120',
    teaching_backup_count: '0',
    teaching_backup_log_held: '0',
    ...Object.fromEntries(DUTIES.map((duty) => [`teaching_backup_trouble{duty="${duty}"}`, '0'])),
  });
  const known = told({
    ...NOTHING,
    base: { finished_at: new Date('2026-11-19T12:00:00Z'), bytes: 5_000_000, count: 3 },
    verified_at: new Date('2026-11-19T12:01:00Z'),
    until: new Date('2026-11-20T11:59:30Z'),
    held: 33_554_432,
    room: { free: 10, size: 100 },
    trouble: new Map([['store', 'the disk of the archive is full']]),
  });
  expect(known).toMatchObject({
    teaching_backup_age: '86400',
    teaching_backup_bytes: '5000000',
    teaching_backup_count: '3',
    teaching_backup_verified_age: '86340',
    teaching_backup_log_age: '30',
    teaching_backup_log_held: '33554432',
    teaching_backup_room_free: '10',
    teaching_backup_room_size: '100',
    'teaching_backup_trouble{duty="store"}': '1',
    'teaching_backup_trouble{duty="log"}': '0',
  });
});

it('reports no negative age when clocks differ', () => {
  const known = told({ ...NOTHING, until: new Date('2026-11-20T12:00:01Z') });
  expect(known['teaching_backup_log_age']).toBe('0');
});

it('writes the format of Prometheus', () => {
  expect(metricsText(NOTHING, now)).toContain('# TYPE teaching_backup_age gauge\nteaching_backup_age 120\n');
});
