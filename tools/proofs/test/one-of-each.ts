import { randomUUID } from 'node:crypto';
import {
  calendarCalls,
  clazzCalls,
  courseCalls,
  courseCategoryCalls,
  courseGroupCalls,
  courseSectionCalls,
  dakaCalls,
  holidayCalls,
  hourCalls,
  ledgerCalls,
  jihuaCalls,
  leaveCalls,
  lessonCalls,
  lianxiCalls,
  memberCalls,
  packageCalls,
  piyueCalls,
  policyCalls,
  refusalCalls,
  rollCallCalls,
  roomCalls,
  seriesCalls,
} from '../../../libs/contracts/src/index.ts';
import { assert, vi } from 'vitest';
import { HOUR_MS } from '../../../libs/kit/src/base/time.ts';
import type { Api } from './api.ts';
import { clazzWith, lessonAt, newClazz } from './clazz.ts';
import { clockAt } from './clock.ts';
import type { Fixture } from './fixture.ts';

const clock = clockAt(new Date());
const inHours = (hours: number): string => clock.after(hours * HOUR_MS);
const today = (): string => inHours(0).slice(0, 10);

const withKey = () => ({ 'idempotency-key': randomUUID() });

/** A marker in every text of these records and in no other, so that a leaked text is recognized. */
export const RECORD_MARKER = 'kept apart';
const STUDENT = 'ann';
const TEACHER = 'lee';
const GUARDIAN = 'mia';
/** A student to whom no record refers. */
const LEAVER = 'leo';

const courses = async (boss: Api) => {
  const category = await boss.ok(
    courseCategoryCalls.createCourseCategory,
    { body: { name: RECORD_MARKER } },
    withKey(),
  );
  const body = { title: RECORD_MARKER, status: 'active', category_id: category.id } as const;
  const course = await boss.ok(courseCalls.createCourse, { body });
  const path = { course_id: course.id };
  const section = await boss.ok(courseSectionCalls.createCourseSection, { path, body: { title: RECORD_MARKER } });
  const group = await boss.ok(courseGroupCalls.createCourseGroup, { body: { name: RECORD_MARKER, org_visible: true } });
  await boss.ok(courseGroupCalls.putCourseGroupCourses, { path: { id: group.id }, body: { course_ids: [course.id] } });
  const members = [
    { user_id: STUDENT, role: 'STUDENT', display_name: RECORD_MARKER } as const,
    { user_id: GUARDIAN, role: 'GUARDIAN', display_name: RECORD_MARKER } as const,
    { user_id: LEAVER, role: 'STUDENT', display_name: RECORD_MARKER } as const,
  ];
  await boss.ok(memberCalls.putMembers, { body: { members } });
  const guardians = [{ user_id: GUARDIAN, relation: RECORD_MARKER, money: true }];
  await boss.ok(memberCalls.putGuardians, { path: { user_id: STUDENT }, body: { guardians } });
  return { category: category.id, course: course.id, section: section.id, group: group.id };
};

const exercise = async (boss: Api, ann: Api, course_section_id: string) => {
  const content = { questions: [{ id: 'q', kind: 'free_text', prompt: RECORD_MARKER, points: 1 } as const] };
  const body = { title: RECORD_MARKER, course_section_id, content, student_ids: [STUDENT] };
  const lianxi = await boss.ok(lianxiCalls.createLianxi, { body });
  const path = { id: lianxi.id };
  await boss.ok(lianxiCalls.extendLianxi, { path, body: { student_id: STUDENT, due_at: inHours(9) } });
  const attempt = () => ann.ok(lianxiCalls.submitLianxi, { path, body: { answers: { q: RECORD_MARKER } } });
  const [marked, waiting] = [await attempt(), await attempt()];
  await boss.ok(piyueCalls.claimSubmission, { path: { submission_id: marked.id } });
  await boss.ok(piyueCalls.markSubmission, {
    path: { submission_id: marked.id },
    body: { score: 1, comment: RECORD_MARKER },
  });
  return { lianxi: lianxi.id, submission: marked.id, waiting: waiting.id };
};

const plan = async (boss: Api, ann: Api) => {
  const days = { starts_on: today(), ends_on: today(), zone: 'UTC', backfill_days: 9 };
  const jihua = await boss.ok(jihuaCalls.createJihua, {
    body: { title: RECORD_MARKER, ...days, student_ids: [STUDENT] },
  });
  const daka = await ann.ok(dakaCalls.putDaka, { body: { jihua_id: jihua.id, content: RECORD_MARKER } });
  return { jihua: jihua.id, daka: daka.id };
};

/** A package that was published twice. */
const packageOf = async (boss: Api, course_id: string, category_id: string) => {
  const body = { title: RECORD_MARKER, category_id, price_minor: 1_000, currency: 'EUR', total_hours: '10' };
  const { id } = await boss.ok(packageCalls.createPackage, { body }, withKey());
  const publishWith = async (...titles: string[]) => {
    const items = titles.map((title) => ({ course_id, title, hours: 1 }));
    const synced = await boss.ok(packageCalls.syncPackageItems, { body: { package_id: id, items } });
    const published = await boss.ok(packageCalls.publishPackage, { path: { id } });
    return { item: synced.items[0]?.id ?? '', sha256: published.published_snapshot?.sha256 ?? '' };
  };
  const first = await publishWith(RECORD_MARKER);
  await boss.ok(packageCalls.unpublishPackage, { path: { id } });
  const second = await publishWith(RECORD_MARKER, `${RECORD_MARKER} too`);
  return {
    package: id,
    item: second.item,
    version: '1',
    hash: first.sha256,
    next_version: '2',
    next_hash: second.sha256,
  };
};

/** An active class with one student: one mark, an approved and a pending leave, and hours granted after a charge. */
const clazzWithHistory = async (boss: Api, ann: Api, course_id: string, package_id: string) => {
  const named = { name: RECORD_MARKER, lead_teacher_id: TEACHER };
  const id = await clazzWith(boss, [STUDENT], { ...named, course_id, course_package_id: package_id });
  const path = { id };
  await boss.ok(clazzCalls.putClazzAssistants, { path, body: { teacher_ids: ['tim'] } });
  const rhythm = { starts_on: '2090-01-01', start_time: '10:00', duration_minutes: 60, zone: 'UTC' };
  const series = await boss.ok(seriesCalls.createLessonSeries, {
    path,
    body: { ...rhythm, rrule: 'FREQ=DAILY', count: 2 },
  });
  const lesson = async (hours: number) => (await lessonAt(boss, id, inHours(hours))).id;
  const [missed, held, planned] = [await lesson(-6), await lesson(-3), await lesson(48)];
  const marks = [{ student_id: STUDENT, mark: 'present', note: RECORD_MARKER } as const];
  await boss.ok(rollCallCalls.submitRollCall, { path: { lesson_id: held }, body: { marks } });
  // The roll call comes before the grant, so its hours are owed first.
  const lot = { student_id: STUDENT, hours: 10, package_id, expires_at: inHours(999) };
  const granted = await boss.ok(hourCalls.grantHours, { body: lot });
  const sales = await boss.ok(ledgerCalls.listHourEntries, { query: { kind: 'grant' } });
  const leave = async (lesson_id: string) =>
    (await ann.ok(leaveCalls.requestLeave, { body: { lesson_id, reason: RECORD_MARKER } })).items[0]?.id ?? '';
  const approved = await leave(series.items[0]?.id ?? '');
  await boss.ok(leaveCalls.approveLeave, { path: { id: approved } });
  const quote = await boss.ok(hourCalls.quoteRefund, { body: { student_id: STUDENT } });
  return {
    clazz: id,
    series: series.series_id,
    missed,
    lesson: held,
    lesson_with_leave: planned,
    leave: await leave(planned),
    approved,
    lot: granted.id,
    entry: sales.items[0]?.id ?? '',
    quote: quote.quote_id,
  };
};

/** A class to move a student to, with a lesson, and a completed class. */
const otherClasses = async (boss: Api) => {
  const [over, other] = [await newClazz(boss, { name: RECORD_MARKER }), await newClazz(boss, { name: RECORD_MARKER })];
  await boss.ok(clazzCalls.completeClazz, { path: { id: over.id } });
  const lesson = await lessonAt(boss, other.id, inHours(220));
  return { other_clazz: other.id, other_lesson: lesson.id, over: over.id };
};

/** A class with two lessons at the same time, and a make-up of the leave whose booking ended with a cancelled lesson. */
const clash = async (boss: Api, leave: string): Promise<void> => {
  const { id } = await newClazz(boss, { name: RECORD_MARKER });
  const at = inHours(200);
  await lessonAt(boss, id, at);
  await lessonAt(boss, id, at, { override: true, reason: RECORD_MARKER });
  const { id: lesson_id } = await lessonAt(boss, id, inHours(210));
  await boss.ok(leaveCalls.bookMakeUp, { path: { id: leave }, body: { lesson_id } });
  await boss.ok(lessonCalls.cancelLesson, { path: { lesson_id }, body: { reason: RECORD_MARKER } });
};

const organizationRecords = async (boss: Api, ann: Api) => {
  await boss.ok(holidayCalls.putHolidays, { body: { holidays: [{ date: '2091-01-01', name: RECORD_MARKER }] } });
  await boss.ok(policyCalls.putPolicy, { body: { zone: 'Asia/Tokyo' } }, withKey());
  const { url } = await ann.ok(calendarCalls.createCalendarFeed);
  const room = await boss.ok(roomCalls.createRoom, { body: { name: RECORD_MARKER } });
  await boss.ok(memberCalls.signOutMember, { path: { user_id: 'zed' } });
  return { room: room.id, secret: /([^/]+)\.ics$/.exec(url)?.[1] ?? '' };
};

/** A refused request. Gateways publish refusals a moment later. */
const refused = async (boss: Api, ann: Api): Promise<void> => {
  await ann.refused(policyCalls.putPolicy, { body: {} });
  await vi.waitFor(async () => assert((await boss.ok(refusalCalls.listRefusals)).items.length > 0), {
    timeout: 10_000,
    interval: 50,
  });
};

const supervisorAndStudent = (fixture: Fixture): [boss: Api, ann: Api] => [
  fixture.as({ role: 'SUPERVISOR' }),
  fixture.as({ role: 'STUDENT', sub: STUDENT }),
];

/** Creates one record of each kind of the course service. Returns their ids by kind. */
export const oneOfEachToLearn = async (fixture: Fixture) => {
  const [boss, ann] = supervisorAndStudent(fixture);
  const learned = await courses(boss);
  return {
    ...learned,
    ...(await exercise(boss, ann, learned.section)),
    ...(await plan(boss, ann)),
    student: STUDENT,
    leaver: LEAVER,
  };
};

/** Creates one record of each kind in the fixture's organization through the API. Returns their ids by kind. */
export const oneOfEach = async (fixture: Fixture) => {
  const [boss, ann] = supervisorAndStudent(fixture);
  const refusing = refused(boss, ann);
  const learned = await oneOfEachToLearn(fixture);
  const sold = await packageOf(boss, learned.course, learned.category);
  const made = {
    ...learned,
    ...sold,
    ...(await clazzWithHistory(boss, ann, learned.course, sold.package)),
    ...(await otherClasses(boss)),
    ...(await organizationRecords(boss, ann)),
    teacher: TEACHER,
  };
  await clash(boss, made.approved);
  await refusing;
  return made;
};
export type OneOfEach = Awaited<ReturnType<typeof oneOfEach>>;
