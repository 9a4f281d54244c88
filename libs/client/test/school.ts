import {
  clazzCalls,
  courseCalls,
  enrolmentCalls,
  leaveCalls,
  memberCalls,
  packageCalls,
  policyCalls,
  roomCalls,
  seriesCalls,
} from '@teaching/contracts';
import type { Api } from '../../../tools/proofs/test/api.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';

/** Monday morning, before the first lesson. Each class has a lesson at 12:00 or 16:00 UTC, Monday to Friday. */
export const MONDAY = '2026-03-02T10:00:00.000Z';
export const CLAZZES = 20;
/** Number of teachers with two classes each. Two more teachers have none. */
const BUSY = 10;
export const IN_CLAZZ = 6;

const numbered = (what: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${what}-${String(n + 1).padStart(3, '0')}`);
export const teachers = numbered('teacher', BUSY + 2);
export const students = numbered('student', CLAZZES * IN_CLAZZ);
export const GUARDIAN = 'guardian-001';
export const BOSS = 'office-001';
const CHILD = students[0] ?? '';

export interface Clazz {
  id: string;
  teacher: string;
  students: string[];
  /** Ordered by start. */
  lessons: { id: string; starts_at: string }[];
}
export interface School {
  clazzes: Clazz[];
  package_id: string;
  /** A pending leave of a student of the first class for the lesson on Thursday. */
  leave_id: string;
}

const people = [
  ...students.map((user_id) => ({ user_id, role: 'STUDENT' as const })),
  ...teachers.map((user_id) => ({ user_id, role: 'TEACHER' as const })),
  { user_id: GUARDIAN, role: 'GUARDIAN' as const },
  { user_id: BOSS, role: 'SUPERVISOR' as const },
];
/** Ids of all people in the directory. */
export const PEOPLE: ReadonlySet<string> = new Set(people.map(({ user_id }) => user_id));

const packageFor = async (boss: Api, course_id: string): Promise<string> => {
  const body = { title: 'Ten hours', price_minor: 50_000, currency: 'EUR', total_hours: '10' };
  const { id } = await boss.ok(packageCalls.createPackage, { body });
  const items = [{ course_id, title: 'Lessons', hours: 10 }];
  await boss.ok(packageCalls.syncPackageItems, { body: { package_id: id, items } });
  await boss.ok(packageCalls.publishPackage, { path: { id } });
  return id;
};

const clazzOf = async (boss: Api, n: number, course_id: string): Promise<Clazz> => {
  const teacher = teachers[n % BUSY] ?? '';
  const body = { name: `Class ${n + 1}`, lead_teacher_id: teacher, course_id, capacity: IN_CLAZZ + 2 };
  const { id } = await boss.ok(clazzCalls.createClazz, { body });
  await boss.ok(clazzCalls.activateClazz, { path: { id } });
  const student_ids = students.slice(n * IN_CLAZZ, (n + 1) * IN_CLAZZ);
  await boss.ok(enrolmentCalls.enrolStudents, { path: { id }, body: { student_ids } });
  const week = { starts_on: '2026-03-02', zone: 'UTC', rrule: 'FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR', count: 10 };
  const at = { start_time: n < BUSY ? '12:00' : '16:00', duration_minutes: 60, room: `Room ${n % BUSY}` };
  const { items } = await boss.ok(seriesCalls.createLessonSeries, { path: { id }, body: { ...week, ...at } });
  return { id, teacher, students: student_ids, lessons: items };
};

/** Creates a school of 20 classes with six students each, ten teachers with classes, and twelve rooms. */
export const seedSchool = async (fixture: Fixture): Promise<School> => {
  const boss = fixture.as({ role: 'SUPERVISOR', sub: BOSS });
  await boss.ok(policyCalls.putPolicy, { body: { zone: 'UTC', currency: 'EUR' } });
  const members = people.map(({ user_id, role }) => ({ user_id, role, display_name: `Name of ${user_id}` }));
  await boss.ok(memberCalls.putMembers, { body: { members } });
  const guardians = [{ user_id: GUARDIAN, relation: 'mother', money: true }];
  await boss.ok(memberCalls.putGuardians, { path: { user_id: CHILD }, body: { guardians } });
  for (let n = 0; n < BUSY + 2; n += 1)
    await boss.ok(roomCalls.createRoom, { body: { name: `Room ${n}`, capacity: n < BUSY ? 10 : 8 } });
  const [algebra, botany] = [
    await boss.ok(courseCalls.createCourse, { body: { title: 'Algebra', status: 'active' } }),
    await boss.ok(courseCalls.createCourse, { body: { title: 'Botany', status: 'active' } }),
  ];
  const clazzes: Clazz[] = [];
  for (let n = 0; n < CLAZZES; n += 1) clazzes.push(await clazzOf(boss, n, n % 2 === 0 ? algebra.id : botany.id));
  const [first] = clazzes;
  const [, student = ''] = first?.students ?? [];
  const thursday = first?.lessons[3]?.id ?? '';
  const ask = { lesson_id: thursday, reason: 'at the dentist' };
  const { items } = await fixture.as({ role: 'STUDENT', sub: student }).ok(leaveCalls.requestLeave, { body: ask });
  return { clazzes, package_id: await packageFor(boss, algebra.id), leave_id: singleElement(items).id };
};
