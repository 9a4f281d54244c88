import { type Session, statement } from '@teaching/kit';
import { audit } from '../audit/audit.ts';
import { LESSON } from '../record/lesson.table.ts';
import type { LeaveChange } from './tell-leaves.ts';

const OF = LESSON.some('id', 'clazz_id');
const CLAZZES = statement(`select ${OF.columns} from lesson where org_id = $1 and id = any($2::uuid[])`, OF.shape);

const bookedAt = ({ before, after }: LeaveChange) => ({
  before: before?.credit?.lesson_id ?? null,
  after: after.credit?.lesson_id ?? null,
});

/** Puts a booking that was made or ended on the trail of the other class, whose guest the student is or was. */
export const auditHostClasses = async (
  session: Session,
  changes: readonly LeaveChange[],
  reason: string | null,
): Promise<void> => {
  const moved = changes.filter((change) => bookedAt(change).before !== bookedAt(change).after);
  if (moved.length === 0) return;
  const lesson_ids = moved.flatMap((change) => Object.values(bookedAt(change)).filter((id) => id !== null));
  const rows = await session.query(CLAZZES, session.org_id, lesson_ids);
  const clazzOf = new Map(rows.map((row) => [row.id, row.clazz_id]));
  for (const change of moved) {
    const booked = bookedAt(change);
    const { id, student_id, clazz_id } = change.after;
    const hosts = new Set([booked.before, booked.after].flatMap((lesson) => clazzOf.get(lesson ?? '') ?? []));
    hosts.delete(clazz_id);
    const guest = (lesson: string | null) => (lesson === null ? null : student_id);
    const guests = { before: guest(booked.before), after: guest(booked.after) };
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
