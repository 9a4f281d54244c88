import { refused, same } from '../expectation.ts';
import { hourAt, type Stage } from '../scenario-stage.ts';
import type { Running } from './clazz.ts';

/** A class is completed and reopened. */
export const completion = async (stage: Stage, { clazz_id, ahead }: Running): Promise<void> => {
  const { as, say, chapter } = stage;
  chapter('Completing a class, and reopening it');
  const path = { id: clazz_id };
  say('A past lesson without roll call prevents completion.');
  const open = (await as.li.createLesson({ path, body: hourAt(stage, -6) })).data.id;
  const preview = (await as.li.previewClazzCompletion({ path })).data;
  same(
    'blockers',
    preview.blockers.map((one) => [one.kind, one.lesson_id]),
    [['roll_call_missing', open]],
  );
  same('lessons to cancel', preview.lessons_to_cancel.length, ahead.length);
  await refused(as.li.completeClazz({ path }), 409, 'completion_blocked');

  say('It never took place, so it is cancelled. Then the class is completed, and nothing in it can change.');
  await as.li.cancelLesson({ path: { lesson_id: open }, body: { reason: 'Teacher was ill' } });
  const completed = (await as.li.completeClazz({ path })).data;
  same('status', completed.status, 'completed');
  const late = { student_ids: ['newcomer'] };
  await refused(as.li.enrolStudents({ path, body: late }), 409, 'clazz_closed');

  say('Reopening restores exactly what completing had ended.');
  const reopened = (await as.sun.reopenClazz({ path, body: { reason: 'Completed a term too early' } })).data;
  same('status', [reopened.status, reopened.completed_at], ['active', null]);
  same('restored lessons', reopened.restored_lessons.toSorted(), ahead.toSorted());

  say('A lesson that was cancelled by mistake can be restored as well.');
  const [lesson_id] = ahead;
  if (lesson_id === undefined) throw new Error('there is no future lesson');
  await as.li.cancelLesson({ path: { lesson_id }, body: { reason: 'The wrong week' } });
  const body = { reason: 'It was the week after' };
  const back = (await as.sun.restoreLesson({ path: { lesson_id }, body })).data;
  same('lesson', [back.status, back.cancel_reason, back.not_restored], ['scheduled', null, []]);
  const active = (await as.li.listEnrolments({ path, query: { status: 'active' } })).data.items;
  same('active students', active.map((row) => row.student_id).toSorted(), ['amina', 'ben', 'chloe']);
};
