import { ChangedLeave, clazzEvents, picking } from '@teaching/contracts';
import type { Session, Tell } from '@teaching/kit';
import { audit, changesOf } from '../audit/audit.ts';
import { inParts } from '../audit/in-parts.ts';
import { lastById } from '../audit/last-by-id.ts';
import type { LeaveState } from './seat.ts';

export interface LeaveChange {
  before: LeaveState | null;
  after: LeaveState;
}

/** What the audit trail tells of a leave. */
const facts = (leave: LeaveState | null) =>
  leave && {
    lesson_id: leave.lesson_id,
    student_id: leave.student_id,
    status: leave.status,
    in_time: leave.in_time,
    make_up: leave.credit?.status ?? null,
    make_up_lesson_id: leave.credit?.lesson_id ?? null,
  };

const told = picking(ChangedLeave.omit({ make_up_lesson_id: true }));

/** Leave as a transaction leaves it: one event for each class. */
const tellStates: Tell<LeaveState> = (session, states) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(lastById(states), (leave) => leave.clazz_id)) {
    const leaves = ofClazz.map((leave) => ({ ...told(leave), make_up_lesson_id: leave.credit?.lesson_id ?? null }));
    for (const part of inParts(leaves)) session.emit(clazzEvents.leaveChanged, clazz_id, { clazz_id, leaves: part });
  }
};

/** Tells leave that was requested or changed, and puts an entry for each on the audit trail. */
export const tellLeaves = (session: Session, changes: readonly LeaveChange[], reason: string | null): void => {
  session.tellOnce(
    tellStates,
    changes.map(({ after }) => after),
  );
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

/** What is told of leave that is removed with its class: it ended undecided, so that it counts nowhere. */
const asRemoved = (leave: LeaveState): LeaveState => ({
  ...leave,
  status: 'cancelled',
  decided_by: null,
  decided_at: null,
  credit: null,
});

/** Tells leave that was removed, and puts an entry for each on the audit trail. */
export const tellRemovedLeaves = (session: Session, leaves: readonly LeaveState[]): void => {
  session.tellOnce(tellStates, leaves.map(asRemoved));
  for (const leave of leaves) {
    const changes = changesOf(facts(leave), null);
    audit(session, leave.clazz_id, [{ action: 'delete', entity: 'leave', entity_id: leave.id, changes }]);
  }
};
