import type { Leave } from '@teaching/contracts';
import type { Credit, LeaveState } from './cascade.rules.ts';

/** A leave `v` with its make-up credit `c`. */
export const LEAVE_COLUMNS = `v.id, v.clazz_id, v.lesson_id, v.student_id, v.status, v.ended_from, v.in_time, v.reason,
  v.requested_by, v.requested_at, v.decided_by, v.decided_at, v.policy_version, v.version,
  c.status as credit_status, c.expires_at as credit_expires_at, c.lesson_id as credit_lesson_id,
  c.lesson_id is not null and exists (select from mark_revision m where m.org_id = v.org_id
    and m.lesson_id = c.lesson_id and m.student_id = v.student_id) as credit_is_marked`;

export interface LeaveRow extends Omit<Leave, 'make_up'> {
  ended_from: 'pending' | 'approved' | null;
  credit_status: Credit['status'] | null;
  credit_expires_at: string | null;
  credit_lesson_id: string | null;
  credit_is_marked: boolean;
}

export const toLeaveState = (row: LeaveRow): LeaveState => {
  const { credit_status, credit_expires_at, credit_lesson_id, credit_is_marked, ...leave } = row;
  if (credit_status === null || credit_expires_at === null) return { ...leave, credit: null };
  const credit = { status: credit_status, expires_at: credit_expires_at, lesson_id: credit_lesson_id };
  return { ...leave, credit: { ...credit, is_marked: credit_is_marked } };
};

/** The leave as it goes over the wire; a credit past its time shows as expired. */
export const toLeave = ({ ended_from: _inner, credit, ...leave }: LeaveState, now: string): Leave => {
  if (credit === null) return { ...leave, make_up: null };
  const { status, expires_at, lesson_id } = credit;
  const isOver = status === 'available' && expires_at <= now;
  return { ...leave, make_up: { status: isOver ? 'expired' : status, expires_at, lesson_id } };
};
