import type { Mark } from '@teaching/contracts';
import type { Row } from '../src/roll-call/roll-call.rules.ts';

/** A saved row of a roll call, for tests. */
export const savedStudent = (
  student_id: string,
  mark: Mark | null = null,
  more: Partial<Row['saved']> = {},
): Row['saved'] => ({
  student_id,
  student_name: student_id,
  mark,
  revision: mark === null ? 0 : 1,
  marked_by: null,
  marked_by_name: null,
  marked_at: null,
  charged_hours: '0.00',
  note: null,
  late_minutes: null,
  make_up: false,
  leave: null,
  hours_left: '4.00',
  attended: { present: 3, of: 4 },
  ...more,
});
