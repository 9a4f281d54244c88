import { present, same } from '../expectation.ts';
import { hourAt, type Stage } from '../scenario-stage.ts';
import type { Running } from './clazz.ts';

/** Hours from now to a lesson that no other chapter knows. */
const FAR = 300 * 24;

/** A teacher falls ill, and then the school closes: one call each. */
export const office = async (stage: Stage, { clazz_id }: Running): Promise<void> => {
  const { as, say, chapter } = stage;
  chapter('A teacher falls ill, and a day without lessons');
  const { id } = (await as.li.createLesson({ path: { id: clazz_id }, body: hourAt(stage, FAR) })).data;
  const range = { from: hourAt(stage, FAR - 5).starts_at, to: hourAt(stage, FAR + 5).starts_at };
  say('Free teachers are suggested as substitutes, teachers of the course first.');
  const options = (await as.sun.listSubstituteOptions({ path: { lesson_id: id } })).data.items;
  same('the first option', present('an option', options[0]).teacher_id, 'vega');
  const given = (await as.sun.substituteTeacher({ body: { teacher_id: 'li', ...range, with: 'vega' } })).data;
  same(
    'lessons and their teachers',
    given.items.map((lesson) => [lesson.id, lesson.teacher_id]),
    [[id, 'vega']],
  );

  say('A closure cancels the lessons of a range, class by class. Repeated, it changes nothing.');
  const body = { ...range, reason: 'Burst pipe' };
  const preview = (await as.sun.createClosure({ body: { ...body, preview: true } })).data;
  const done = (await as.sun.createClosure({ body })).data;
  for (const { items, failed } of [preview, done]) {
    same('lessons', [items.map((lesson) => lesson.id), failed], [[id], []]);
  }
  same('again', (await as.sun.createClosure({ body })).data, { items: [], failed: [] });

  say('Rooms have a capacity. This lists the rooms that are free that day for ten.');
  await as.sun.createRoom({ body: { name: 'Garden room', capacity: 12 } });
  const free = (await as.sun.listFreeRooms({ query: { ...range, min_capacity: '10' } })).data.items;
  same(
    'free rooms',
    free.map((room) => room.name),
    ['Garden room'],
  );

  say('Two families pay at the desk: one call, all of it or nothing.');
  const grants = ['emil', 'fay'].map((student_id) => ({ student_id, hours: '10' }));
  const sold = (await as.sun.grantHoursInBulk({ body: { grants } })).data.items;
  same(
    'sold',
    sold.map((lot) => lot.remaining),
    ['10.00', '10.00'],
  );

  say('A new class can be a copy of another one.');
  const first = (await as.li.createCourse({ body: { title: 'Calligraphy' } })).data;
  const second = (await as.li.copyCourse({ path: { id: first.id }, body: { title: 'Calligraphy II' } })).data;
  same('the copy', [second.title, second.status], ['Calligraphy II', 'draft']);

  say('A holiday is added to the list, and the lessons on it are cancelled.');
  const later = hourAt(stage, FAR + 48);
  const lesson = (await as.li.createLesson({ path: { id: clazz_id }, body: later })).data;
  const holidays = [{ date: later.starts_at.slice(0, 10), name: 'Day of the teachers' }];
  const put = (await as.sun.putHolidays({ query: { lessons: 'cancel' }, body: { holidays } })).data;
  same(
    'cancelled',
    put.items?.map((row) => row.id),
    [lesson.id],
  );

  say('A member leaves: their enrolments are suspended, and nothing is lost.');
  await as.sun.putMembers({ body: { members: [{ user_id: 'fay', role: 'STUDENT', display_name: 'Fay' }] } });
  const left = (await as.sun.deactivateMember({ path: { user_id: 'fay' }, body: { reason: 'Moved away' } })).data;
  same('Fay', left.member.status, 'inactive');
};
