import type { substitutionCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { freeTeachers } from './free-teachers.ts';
import { clazzOf } from './load-lesson.ts';

/** Who could give a lesson in place of its teacher. */
export const listSubstituteOptions: Handler<typeof substitutionCalls.listSubstituteOptions> = async (
  { path, query },
  session,
) => {
  const { lesson_id } = path;
  const clazz_id = await clazzOf(session, lesson_id);
  const after = session.openCursor(query.cursor, lesson_id);
  const last = [after === null ? null : after[0] === 1, after === null ? null : String(after[1])] as const;
  const rows = await freeTeachers(session, [lesson_id], query.limit + 1, last);
  const items = rows.slice(0, query.limit).map(({ lesson_id: _same, ...option }) => option);
  auditRead(session, 'lesson', [clazz_id], lesson_id);
  const end = rows.length > items.length ? items.at(-1) : undefined;
  const key = end && session.sealCursor([end.same_course ? 1 : 0, end.teacher_id], lesson_id);
  return { items, next_cursor: key ?? null };
};
