import { expect, it } from 'vitest';
import type { LessonRow } from '../record/record.tables.ts';
import { closureChanges, type ClosureSelection } from './closure.rules.ts';

const NOW = new Date('2026-03-01T00:00:00.000Z');
const lesson = (from: string, to: string) =>
  ({ starts_at: `2026-03-${from}:00.000Z`, ends_at: `2026-03-${to}:00.000Z`, version: 1 }) as LessonRow;
const closing = (more: Partial<ClosureSelection> = {}): ClosureSelection => ({
  spans: [
    { from: '2026-03-02T00:00:00.000Z', to: '2026-03-03T00:00:00.000Z', reason: 'Monday' },
    { from: '2026-03-03T00:00:00.000Z', to: '2026-03-04T00:00:00.000Z', reason: 'Tuesday' },
  ],
  clazz_ids: null,
  teacher_id: null,
  room: null,
  reason_public: false,
  reason: 'closed',
  ...more,
});

it('a cancelled lesson has the reason of the first span that it overlaps, and spans are half-open', () => {
  const lessons = [lesson('02T23:00', '03T01:00'), lesson('03T00:00', '03T01:00'), lesson('03T23:00', '04T00:00')];
  const after = closureChanges(lessons, closing(), NOW).map((change) => change.after);
  expect(after.map((it) => [it.status, it.cancel_reason, it.cancelled_by, it.version])).toEqual([
    ['cancelled', 'Monday', 'org', 2],
    ['cancelled', 'Tuesday', 'org', 2],
    ['cancelled', 'Tuesday', 'org', 2],
  ]);
});

it('a closure that names a teacher cancels lessons as `teacher`', () => {
  const [change] = closureChanges(
    [lesson('02T10:00', '02T11:00')],
    closing({ teacher_id: 'ann', reason_public: true }),
    NOW,
  );
  expect(change?.after).toMatchObject({ cancelled_by: 'teacher', reason_public: true, updated_at: NOW.toISOString() });
});
