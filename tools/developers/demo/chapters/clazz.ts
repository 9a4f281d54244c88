import { isTrue, refused, same } from '../expectation.ts';
import { addDays } from '../../../../libs/kit/src/base/time.ts';
import { nextClockChange } from '../daylight-saving.ts';
import { hourAt, type Stage } from '../scenario-stage.ts';
import type { Sold } from './packages.ts';
import type { School } from './school.ts';

/** A class, and its events so far. */
export interface Running {
  clazz_id: string;
  /** Twelve days ago, a few hours ago, and the one everybody forgot. */
  lessons: { long_ago: string; today: string; forgotten: string };
  /** Lessons of the series, all in the future. */
  ahead: string[];
}

const ZONE = 'Europe/Berlin';
const COUNT = 8;
const DAYS_AGO = 24;

/** Evening lessons across the next change of the clocks, with a holiday among them. */
const series = async ({ as, say, now }: Stage, id: string): Promise<string[]> => {
  say('A series keeps its local time when the clocks change, and a holiday does not use up the count.');
  const change = nextClockChange(ZONE, now, 12);
  const holiday = { date: addDays(change, 2), name: 'Gründungstag' };
  await as.sun.putHolidays({ body: { holidays: [holiday] } });
  const body = {
    starts_on: addDays(change, -10),
    start_time: '18:00',
    duration_minutes: 60,
    zone: ZONE,
    rrule: 'FREQ=WEEKLY;BYDAY=TU,TH',
    count: COUNT,
  };
  const preview = (await as.li.previewLessonSeries({ path: { id }, body })).data;
  same(
    'occurrences with clashes',
    preview.occurrences.filter((one) => one.conflicts.length > 0),
    [],
  );
  const made = (await as.li.createLessonSeries({ path: { id }, body })).data;
  same(
    'lessons and holidays',
    [made.items.length, made.skipped],
    [COUNT, [{ date: holiday.date, holiday: holiday.name }]],
  );
  const utcTimes = new Set(made.items.map((lesson) => lesson.starts_at.slice(11, 16)));
  same('start times in UTC', [...utcTimes].toSorted(), ['16:00', '17:00']);
  return made.items.map((lesson) => lesson.id);
};

const enrol = async ({ as, say, now }: Stage, id: string): Promise<void> => {
  say('Two seats: the third student waits, and gets a seat when there is one.');
  const path = { id };
  const since = new Date(now.getTime() - DAYS_AGO * 86_400_000).toISOString();
  await as.li.enrolStudents({ path, body: { student_ids: ['amina', 'ben'], since } });
  await refused(as.li.enrolStudents({ path, body: { student_ids: ['chloe'] } }), 409, 'clazz_full');
  const waiting = (await as.li.enrolStudents({ path, body: { student_ids: ['chloe'], waitlist: true } })).data;
  same('status', waiting.items[0]?.status, 'waiting');
  await as.sun.updateClazz({ path, body: { capacity: 3 } });
  const active = (await as.li.listEnrolments({ path, query: { status: 'active' } })).data.items;
  same('active students', active.map((row) => row.student_id).toSorted(), ['amina', 'ben', 'chloe']);
};

const roomsAndHomework = async (
  { as, say }: Stage,
  { id, lesson_id }: { id: string; lesson_id: string },
): Promise<void> => {
  say('A room has a capacity: a larger class is refused. Today’s timetable shows lessons with free seats.');
  await as.sun.createRoom({ body: { name: 'Cupboard', capacity: 1 } });
  await as.sun.createRoom({ body: { name: 'Garden hall', capacity: 4 } });
  const path = { lesson_id };
  await refused(as.li.updateLesson({ path, query: {}, body: { room: 'Cupboard' } }), 409, 'room_too_small');
  const written = { room: 'Garden hall', topic: '点菜', homework: 'Order three dishes' };
  await as.li.updateLesson({ path, query: {}, body: written });
  const { items } = (await as.li.listLessons({ query: { clazz_id: id, room: written.room } })).data;
  same('places', [items[0]?.enrolled, items[0]?.capacity, items[0]?.free], [2, 3, 1]);
  const missing = (await as.li.listLessons({ query: { roll_call: 'missing,incomplete' } })).data.items;
  same('roll calls to take', missing.length, 3);
  same('homework', (await as.ben.getLesson({ path })).data.homework, written.homework);
};

export const clazz = async (stage: Stage, { courses }: School, { package_id }: Sold): Promise<Running> => {
  const { as, say, chapter } = stage;
  chapter('A class: students, lessons, a series across the change of clocks');
  const body = {
    name: '汉语 A1 晚班',
    course_id: courses.chinese,
    course_package_id: package_id,
    lead_teacher_id: 'li',
    capacity: 2,
    zone: ZONE,
  };
  const { id } = (await as.sun.createClazz({ body })).data;
  await refused(as.li.createClazz({ body }), 403, 'forbidden');
  await enrol(stage, id);
  same('status', (await as.sun.activateClazz({ path: { id } })).data.status, 'active');
  same(
    'a second time',
    (await refused(as.sun.activateClazz({ path: { id } }), 409, 'invalid_transition'))['status'],
    409,
  );

  say('Lessons may be in the past; no person can have two lessons at the same time.');
  const lessonAt = async (hours: number): Promise<string> =>
    (await as.li.createLesson({ path: { id }, body: hourAt(stage, hours) })).data.id;
  const lessons = {
    long_ago: await lessonAt(-12 * 24),
    today: await lessonAt(-4),
    forgotten: await lessonAt(-2.5),
  };
  const clash = await refused(
    as.li.createLesson({ path: { id }, body: hourAt(stage, -3.5) }),
    409,
    'schedule_conflict',
  );
  isTrue('the clashing lesson is named', JSON.stringify(clash['conflicts']).includes(lessons.today));
  await roomsAndHomework(stage, { id, lesson_id: lessons.today });
  const ahead = await series(stage, id);
  const mine = (await as.amina.listMyLessons({ query: { from: stage.now.toISOString() } })).data.items;
  same('my next lesson', mine[0]?.id, ahead[0]);
  return { clazz_id: id, lessons, ahead };
};
