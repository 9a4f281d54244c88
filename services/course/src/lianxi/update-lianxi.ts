import { isDeepStrictEqual } from 'node:util';
import { courseEvents, lianxiCalls, LianxiFields } from '@teaching/contracts';
import { prepared, saveChanged } from '@teaching/kit';
import type { z } from 'zod';
import { assignedStudents, assignStudents, emitAssignment } from './assignment.ts';
import { summaryOf } from './content.rules.ts';
import { requireNotHandedIn } from './handed-in.ts';
import { LIANXI, toLianxiRow } from './lianxi.table.ts';
import { requireDueBeforeClosing } from './limits.rules.ts';
import { lockWholeLianxi } from './lock-lianxi.ts';
import { readNames } from './named.ts';
import { checkClazz, courseOfSection } from './references.ts';

type Assignment = Pick<z.output<typeof lianxiCalls.updateLianxi.body>, 'student_ids' | 'clazz_id'>;

/** The content is large, and most changes leave it as it is. */
const BUT_CONTENT = LIANXI.updateWithout('content');

/** To whom a change assigns a practice one by one: who is there already in the order in which they are. */
const assignedBy = ({ student_ids, clazz_id }: Assignment, before: string[]): string[] => {
  if (student_ids === undefined && clazz_id == null) return before;
  const wanted = student_ids ?? [];
  return isDeepStrictEqual(wanted, before.toSorted()) ? before : wanted;
};

/** Absent keeps, `null` clears; assigning to a class ends the assignment to students, and the other way round. */
export const updateLianxi = prepared(lianxiCalls.updateLianxi, {
  prepare: ({ body }, session) => checkClazz(session, body),
  run: async ({ path, body }, session) => {
    const it = await lockWholeLianxi(session, path.id);
    const wanted = body.student_ids == null ? body : { ...body, clazz_id: null };
    const fields = LianxiFields.patched(it, wanted, {});
    requireDueBeforeClosing(fields, body);
    const isAnother = !isDeepStrictEqual(fields.content, it.content);
    if (isAnother) await requireNotHandedIn(session, it.id);
    const isMoved = fields.course_section_id !== it.course_section_id;
    const course_id = isMoved ? await courseOfSection(session, fields.course_section_id) : it.course_id;
    const before = await assignedStudents(session, it.id);
    const student_ids = assignedBy(body, before);
    const whole = { ...it, ...fields, ...summaryOf(fields.content), course_id, student_ids };
    const answer = await saveChanged(
      session,
      { ...it, student_ids: before },
      whole,
      ({ student_ids: _apart, ...after }) => {
        if (isAnother) session.update(LIANXI, after);
        else session.update(BUT_CONTENT, after);
        session.emit(courseEvents.lianxiUpdated, it.id, toLianxiRow(after));
        if (student_ids !== before) assignStudents(session, it.id, student_ids);
        if (student_ids !== before || after.clazz_id !== it.clazz_id) emitAssignment(session, after, student_ids);
      },
    );
    return { ...answer, ...(await readNames(session, it.id)) };
  },
});
