import { courseEvents, lianxiCalls } from '@teaching/contracts';
import { newId, prepared } from '@teaching/kit';
import { newRecord } from '../shared/record.ts';
import { assignStudents } from './assignment.ts';
import { contentOf, summaryOf } from './content.rules.ts';
import { LianxiEntity, toRow } from './lianxi.entity.ts';
import { checkClazz, courseOfSection } from './references.ts';

export const createLianxi = prepared(lianxiCalls.create, {
  prepare: ({ body }, session) => checkClazz(session, body.clazz_id),
  run: async ({ body }, session) => {
    const course_id = await courseOfSection(session, body.course_section_id);
    const content = contentOf(body.content);
    const student_ids = [...new Set(body.student_ids)].toSorted();
    const em = await session.entities();
    const created = em.create(LianxiEntity, {
      ...newRecord(session, newId()),
      course_id,
      course_section_id: body.course_section_id,
      teacher_id: session.caller.user_id,
      title: body.title,
      content,
      ...summaryOf(content),
      due_at: body.due_at ?? null,
      clazz_id: body.clazz_id ?? null,
    });
    await em.flush();
    if (student_ids.length > 0) assignStudents(session, created.id, student_ids);
    const row = toRow(created);
    session.emit(courseEvents.lianxiCreated, created.id, row);
    return { ...row, content, student_ids };
  },
});
