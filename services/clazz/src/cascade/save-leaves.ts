import { ChangedLeave, clazzEvents, fieldPicker } from '@teaching/contracts';
import { type EventPublisher, type Session, statement } from '@teaching/kit';
import { audit, changesOf } from '../audit/record-audit.ts';
import { toBatches, lastById } from '../audit/event-batches.ts';
import { type SeatKey, updateExpectedSeats } from '../record/expected-students.ts';
import { recordFreedPlaces } from '../record/freed-places.ts';
import { LESSON } from '../record/record.tables.ts';
import type { LeaveState } from './cascade.rules.ts';
import { LEAVE, MAKE_UP_CREDIT } from './cascade.tables.ts';

interface LeaveChange {
  before: LeaveState | null;
  after: LeaveState;
}

/** The fields of a leave in the audit log. */
const auditedFields = (leave: LeaveState | null) =>
  leave && {
    lesson_id: leave.lesson_id,
    student_id: leave.student_id,
    status: leave.status,
    in_time: leave.in_time,
    called_at: leave.called_at,
    called_by: leave.called_by,
    override_reason: leave.override_reason,
    decision_reason: leave.decision_reason,
    make_up: leave.credit?.status ?? null,
    make_up_lesson_id: leave.credit?.lesson_id ?? null,
  };

const toPublicLeave = fieldPicker(ChangedLeave.omit({ make_up_lesson_id: true }));

/** Publishes the last state of each leave: one event for each class. */
export const publishLeaveEvents: EventPublisher<LeaveState> = (session, states) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(lastById(states), (leave) => leave.clazz_id)) {
    const leaves = ofClazz.map((leave) => ({
      ...toPublicLeave(leave),
      make_up_lesson_id: leave.credit?.lesson_id ?? null,
    }));
    for (const part of toBatches(leaves)) session.emit(clazzEvents.leaveChanged, clazz_id, { clazz_id, leaves: part });
  }
};

/** Adds an audit entry for each requested or changed leave. */
export const auditLeaves = (session: Session, changes: readonly LeaveChange[], reason: string | null): void => {
  for (const { before, after } of changes) {
    const entry = {
      action: before === null ? ('create' as const) : ('update' as const),
      entity: 'leave' as const,
      entity_id: after.id,
      about: [after.student_id],
      changes: changesOf(auditedFields(before), auditedFields(after)),
    };
    audit(session, after.clazz_id, [entry], reason);
  }
};

/**
 * The final state of a leave that is removed with its class. It is cancelled without a decision, so statistics do not
 * count it.
 */
export const toRemovedLeave = (leave: LeaveState): LeaveState => ({
  ...leave,
  status: 'cancelled',
  decided_by: null,
  decided_at: null,
  credit: null,
});

/** Adds an audit entry for each removed leave. */
export const auditRemovedLeaves = (session: Session, leaves: readonly LeaveState[]): void => {
  for (const leave of leaves) {
    const changes = changesOf(auditedFields(leave), null);
    audit(session, leave.clazz_id, [{ action: 'delete', entity: 'leave', entity_id: leave.id, changes }]);
  }
};

const LESSON_CLAZZ = LESSON.pick('id', 'clazz_id');
const CLAZZES_OF_LESSONS = statement(
  `select ${LESSON_CLAZZ.columns} from lesson where org_id = $1 and id = any($2::uuid[])`,
  LESSON_CLAZZ.shape,
);

const bookedAt = ({ before, after }: LeaveChange) => ({
  before: before?.credit?.lesson_id ?? null,
  after: after.credit?.lesson_id ?? null,
});

/** Audits a booking that was made or ended in the class where the student is or was a guest. */
const auditHostClasses = async (
  session: Session,
  changes: readonly LeaveChange[],
  reason: string | null,
): Promise<void> => {
  const withMovedBooking = changes.filter((change) => bookedAt(change).before !== bookedAt(change).after);
  if (withMovedBooking.length === 0) return;
  const lesson_ids = withMovedBooking.flatMap((change) => Object.values(bookedAt(change)).filter((id) => id !== null));
  const rows = await session.query(CLAZZES_OF_LESSONS, session.org_id, lesson_ids);
  const clazzOf = new Map(rows.map((row) => [row.id, row.clazz_id]));
  for (const change of withMovedBooking) {
    const booked = bookedAt(change);
    const { id, student_id, clazz_id } = change.after;
    const hosts = new Set([booked.before, booked.after].flatMap((lesson) => clazzOf.get(lesson ?? '') ?? []));
    hosts.delete(clazz_id);
    const guestAt = (lesson: string | null) => (lesson === null ? null : student_id);
    const guests = { before: guestAt(booked.before), after: guestAt(booked.after) };
    const changed = { make_up_lesson_id: booked, student_id: guests };
    const entry = {
      action: 'update' as const,
      entity: 'leave' as const,
      entity_id: id,
      changes: changed,
      about: [student_id],
    };
    for (const host of hosts) audit(session, host, [entry], reason);
  }
};

const SAVE_CREDITS = statement(
  `insert into make_up_credit (${MAKE_UP_CREDIT.columns})
   select ${MAKE_UP_CREDIT.columns} from ${MAKE_UP_CREDIT.rowsFrom('$1')}
   on conflict (org_id, leave_id) do update set status = excluded.status, lesson_id = excluded.lesson_id,
     ended_lesson_id = excluded.ended_lesson_id, ended_at = excluded.ended_at`,
);

/** The ended bookings of these credits are deleted with them. */
const DELETE_CREDITS = statement(
  `with ended as (delete from ended_booking where org_id = $1 and leave_id = any($2::uuid[]))
   delete from make_up_credit where org_id = $1 and leave_id = any($2::uuid[])`,
);

/** The seats whose student is expected or excused differently after a change of leave or booking. */
const seatsOf = ({ before, after }: LeaveChange): SeatKey[] => {
  const { student_id } = after;
  const isOther = before?.credit?.lesson_id !== after.credit?.lesson_id;
  const booked = isOther ? [before?.credit?.lesson_id, after.credit?.lesson_id] : [];
  const missed = before?.status === after.status ? [] : [after.lesson_id];
  return [...booked, ...missed].flatMap((lesson_id) => (lesson_id == null ? [] : [{ lesson_id, student_id }]));
};

/** Records freed places: approved leave frees the student's time, an ended booking frees that time and a seat. */
const recordSeatsFreedBy = (session: Session, { before, after }: LeaveChange): void => {
  const booked = before?.credit?.lesson_id ?? null;
  const ended = booked === null || booked === after.credit?.lesson_id ? [] : [booked];
  const isAway = after.status === 'approved' && before?.status !== 'approved';
  if (isAway || ended.length > 0) recordFreedPlaces(session, { lesson_ids: ended, students: [after.student_id] });
};

/** Stores changed leaves and credits, updates the expected students, publishes the leaves at commit and audits them. */
export const saveLeaves = async (
  session: Session,
  changes: readonly LeaveChange[],
  reason: string | null,
): Promise<void> => {
  if (changes.length === 0) return;
  const { org_id } = session;
  const leaves = changes.map(({ after }) => after);
  session.update(LEAVE, ...leaves.map(({ credit: _apart, ...leave }) => ({ org_id, ...leave })));
  const credits = leaves.flatMap(({ id, student_id, credit }) => {
    if (credit === null) return [];
    const { is_marked: _derived, ...stored } = credit;
    return [{ org_id, leave_id: id, student_id, ...stored }];
  });
  if (credits.length > 0) session.run(SAVE_CREDITS, MAKE_UP_CREDIT.toJson(credits));
  const withoutCredit = changes.flatMap(({ before, after }) =>
    before?.credit != null && after.credit === null ? [after.id] : [],
  );
  if (withoutCredit.length > 0) session.run(DELETE_CREDITS, org_id, withoutCredit);
  updateExpectedSeats(session, changes.flatMap(seatsOf));
  for (const change of changes) recordSeatsFreedBy(session, change);
  session.publishOnCommit(publishLeaveEvents, leaves);
  auditLeaves(session, changes, reason);
  await auditHostClasses(session, changes, reason);
};
