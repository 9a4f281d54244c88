import { clazzEvents } from '@teaching/contracts';
import { type Session, statement, type Tell } from '@teaching/kit';
import { audit, changesOf } from '../audit/audit.ts';
import { inParts } from '../audit/in-parts.ts';
import { lastById } from '../audit/last-by-id.ts';
import type { LeaveState } from './cascade.rules.ts';

const SAVE = statement(
  `update leave t set status = v.status, ended_from = v.ended_from, decided_by = v.decided_by,
     decided_at = v.decided_at, version = v.version
   from json_to_recordset($2) as v(id uuid, status text, ended_from text, decided_by text, decided_at timestamptz,
     version int)
   where t.org_id = $1 and t.id = v.id`,
);
const SAVE_CREDITS = statement(
  `insert into make_up_credit (org_id, leave_id, student_id, status, expires_at, lesson_id)
   select $1, c.* from json_to_recordset($2) as c(leave_id uuid, student_id text, status text,
     expires_at timestamptz, lesson_id uuid)
   on conflict (org_id, leave_id) do update set status = excluded.status, lesson_id = excluded.lesson_id`,
);

export interface LeaveChange {
  before: LeaveState | null;
  after: LeaveState;
}

const facts = (leave: LeaveState | null) =>
  leave === null
    ? null
    : {
        lesson_id: leave.lesson_id,
        student_id: leave.student_id,
        status: leave.status,
        in_time: leave.in_time,
        make_up: leave.credit?.status ?? null,
        make_up_lesson_id: leave.credit?.lesson_id ?? null,
      };

/** Leave as a transaction leaves it: one event for each class. */
const tellStates: Tell<LeaveState> = (session, states) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(lastById(states), (leave) => leave.clazz_id)) {
    const leaves = ofClazz.map((leave) => ({
      id: leave.id,
      clazz_id,
      lesson_id: leave.lesson_id,
      student_id: leave.student_id,
      status: leave.status,
      in_time: leave.in_time,
      requested_at: leave.requested_at,
      decided_by: leave.decided_by,
      decided_at: leave.decided_at,
      make_up_lesson_id: leave.credit?.lesson_id ?? null,
    }));
    for (const part of inParts(leaves)) session.emit(clazzEvents.leaveChanged, clazz_id, { clazz_id, leaves: part });
  }
};

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
      changes: changesOf(facts(before), facts(after)),
    };
    audit(session, after.clazz_id, [entry], reason);
  }
};

/** Stores changed leaves with their credits, and tells. */
export const saveLeaves = (session: Session, changes: readonly LeaveChange[], reason: string | null): void => {
  if (changes.length === 0) return;
  const leaves = changes.map(({ after }) => after);
  session.run(SAVE, session.org_id, JSON.stringify(leaves));
  const credits = leaves.flatMap(({ id, student_id, credit }) =>
    credit === null ? [] : [{ ...credit, leave_id: id, student_id }],
  );
  if (credits.length > 0) session.run(SAVE_CREDITS, session.org_id, JSON.stringify(credits));
  tellLeaves(session, changes, reason);
};
