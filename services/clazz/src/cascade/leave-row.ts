import type { Leave } from '@teaching/contracts';
import { always, orNull, p, type RowOf } from '@teaching/kit';
import type { LeaveState } from './seat.ts';
import { isMarked } from '../record/expected-students.ts';
import { LEAVE } from './leave.table.ts';
import { MAKE_UP_CREDIT } from './make-up-credit.table.ts';

const ITSELF = LEAVE.without('org_id');
const { status, expires_at, lesson_id, ended_lesson_id, ended_at } = MAKE_UP_CREDIT.shape;
const CREDIT = {
  credit_status: status,
  credit_expires_at: expires_at,
  credit_lesson_id: lesson_id,
  credit_ended_lesson_id: ended_lesson_id,
  credit_ended_at: ended_at,
};
const IS_MARKED = { credit_is_marked: always(p.boolean()) };

const columns = `${ITSELF.of('v')},
  c.status as credit_status, c.expires_at as credit_expires_at, c.lesson_id as credit_lesson_id,
  c.ended_lesson_id as credit_ended_lesson_id, c.ended_at as credit_ended_at,
  c.lesson_id is not null and coalesce(${isMarked('c.lesson_id', 'v.student_id')}, false) as credit_is_marked`;

/** A leave `v` with its make-up credit `c`, of the org `$1`. */
export const WITH_CREDIT = { columns, shape: { ...ITSELF.shape, ...CREDIT, ...IS_MARKED } };
/** The same where `c` comes by an outer join: not every leave has a credit. */
export const MAYBE_WITH_CREDIT = { columns, shape: { ...ITSELF.shape, ...orNull(CREDIT), ...IS_MARKED } };
type LeaveRow = RowOf<(typeof MAYBE_WITH_CREDIT)['shape']>;

export const toLeaveState = (row: LeaveRow): LeaveState => {
  const {
    credit_status,
    credit_expires_at,
    credit_lesson_id: lesson_id,
    credit_ended_lesson_id: ended_lesson_id,
    credit_ended_at: ended_at,
    credit_is_marked: is_marked,
    ...leave
  } = row;
  if (credit_status === null || credit_expires_at === null) return { ...leave, credit: null };
  const credit = { status: credit_status, expires_at: credit_expires_at, lesson_id, ended_lesson_id, ended_at };
  return { ...leave, credit: { ...credit, is_marked } };
};

/** The leave as it goes over the wire; a credit past its time shows as expired. */
export const toLeave = ({ ended_from: _inner, credit, ...leave }: LeaveState, now: string): Leave => {
  if (credit === null) return { ...leave, make_up: null };
  const { is_marked: _derived, ended_lesson_id: _ended, ended_at: _at, ...make_up } = credit;
  const isOver = make_up.status === 'available' && make_up.expires_at <= now;
  return { ...leave, make_up: isOver ? { ...make_up, status: 'expired' } : make_up };
};
