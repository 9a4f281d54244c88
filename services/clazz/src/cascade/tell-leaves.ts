import { ChangedLeave, clazzEvents, picking } from '@teaching/contracts';
import type { EventPublisher, Session } from '@teaching/kit';
import { audit, changesOf } from '../audit/audit.ts';
import { inParts } from '../audit/in-parts.ts';
import { lastById } from '../audit/last-by-id.ts';
import type { LeaveState } from './seat.ts';

export interface LeaveChange {
  before: LeaveState | null;
  after: LeaveState;
}

/** What the audit trail contains of a leave. */
const facts = (leave: LeaveState | null) =>
  leave && {
    lesson_id: leave.lesson_id,
    student_id: leave.student_id,
    status: leave.status,
    in_time: leave.in_time,
    called_at: leave.called_at,
    called_by: leave.called_by,
    override_reason: leave.override_reason,
    make_up: leave.credit?.status ?? null,
    make_up_lesson_id: leave.credit?.lesson_id ?? null,
  };

const toPublicLeave = picking(ChangedLeave.omit({ make_up_lesson_id: true }));

/** Emits the last state of each leave: one event for each class. */
export const publishLeaveEvents: EventPublisher<LeaveState> = (session, states) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(lastById(states), (leave) => leave.clazz_id)) {
    const leaves = ofClazz.map((leave) => ({
      ...toPublicLeave(leave),
      make_up_lesson_id: leave.credit?.lesson_id ?? null,
    }));
    for (const part of inParts(leaves)) session.emit(clazzEvents.leaveChanged, clazz_id, { clazz_id, leaves: part });
  }
};

/** Puts an entry on the audit trail for each leave that was requested or changed. */
export const auditLeaves = (session: Session, changes: readonly LeaveChange[], reason: string | null): void => {
  for (const { before, after } of changes) {
    const entry = {
      action: before === null ? ('create' as const) : ('update' as const),
      entity: 'leave' as const,
      entity_id: after.id,
      about: [after.student_id],
      changes: changesOf(facts(before), facts(after)),
    };
    audit(session, after.clazz_id, [entry], reason);
  }
};

/** The last state of leave that is removed with its class: it ended undecided, so that it counts nowhere. */
export const toRemovedLeave = (leave: LeaveState): LeaveState => ({
  ...leave,
  status: 'cancelled',
  decided_by: null,
  decided_at: null,
  credit: null,
});

/** Puts an entry on the audit trail for each leave that was removed. */
export const auditRemovedLeaves = (session: Session, leaves: readonly LeaveState[]): void => {
  for (const leave of leaves) {
    const changes = changesOf(facts(leave), null);
    audit(session, leave.clazz_id, [{ action: 'delete', entity: 'leave', entity_id: leave.id, changes }]);
  }
};
