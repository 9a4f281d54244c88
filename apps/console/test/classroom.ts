import { randomUUID } from 'node:crypto';
import { hourCalls, leaveCalls, memberCalls, type Output, rollCallCalls } from '../../../libs/contracts/src/index.ts';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { clazzWith, lessonAt } from '../../../tools/proofs/test/clazz.ts';
import type { Fixture, Person } from '../../../tools/proofs/test/fixture.ts';

const MINUTE_MS = 60_000;
export const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * MINUTE_MS).toISOString();
const NAMES = [
  'Ada Lovelace',
  '王小明',
  'Benoît Côté',
  'Chen Wei 陈伟',
  'Dora Maar',
  'Emil Nolde',
  'Faye Wong',
  '李雷',
];

export interface Classroom {
  org: string;
  teacher: Person;
  supervisor: Person;
  asTeacher: Api;
  asSupervisor: Api;
  students: string[];
  clazz_id: string;
  /** A lesson that began ten minutes ago, unless the caller sets `starts_at`. */
  lesson_id: string;
  nameOf: (index: number) => string;
  /** The mark of each student, in their order. */
  marks: () => Promise<(string | null)[]>;
  readRollCall: () => Promise<Output<typeof rollCallCalls.getRollCall>>;
}

interface ClassroomOptions {
  /** An existing organization, whose people can log in. */
  org?: string;
  teacher_id?: string;
  /** The start of the lesson; by default it is running. */
  starts_at?: string;
}

/** Creates an organization with one class and one lesson. The first five students have between 1 and 17 hours. */
export const createClassroom = async (
  fixture: Fixture,
  count: number,
  { org = randomUUID(), teacher_id = 'li', starts_at = minutesAgo(10) }: ClassroomOptions = {},
): Promise<Classroom> => {
  const person = (role: 'TEACHER' | 'SUPERVISOR', sub: string): Person => ({ role, sub, org });
  const [teacher, supervisor] = [person('TEACHER', teacher_id), person('SUPERVISOR', 'office')];
  const [asTeacher, asSupervisor] = [fixture.as(teacher), fixture.as(supervisor)];
  const students = Array.from({ length: count }, (_none, index) => `s-${String(index).padStart(2, '0')}`);
  const nameOf = (index: number): string => {
    const name = NAMES[index % NAMES.length] ?? '';
    return index < NAMES.length ? name : `${name} ${Math.floor(index / NAMES.length) + 1}`;
  };
  const members = [
    { user_id: teacher_id, role: 'TEACHER' as const, display_name: 'Li Na' },
    { user_id: 'wu', role: 'TEACHER' as const, display_name: 'Wu Jun' },
    { user_id: 'office', role: 'SUPERVISOR' as const, display_name: 'Office' },
    ...students.map((user_id, index) => ({ user_id, role: 'STUDENT' as const, display_name: nameOf(index) })),
  ];
  await asSupervisor.ok(memberCalls.putMembers, { body: { members } });
  const clazz_id = await clazzWith(asSupervisor, students, { name: 'English A1', lead_teacher_id: teacher_id });
  for (const [index, student_id] of students.slice(0, 5).entries())
    await asSupervisor.ok(hourCalls.grantHours, { body: { student_id, hours: String(index * 4 + 1) } });
  const { id: lesson_id } = await lessonAt(asSupervisor, clazz_id, starts_at, { room: 'Room 3' });
  const readRollCall = () => asSupervisor.ok(rollCallCalls.getRollCall, { path: { lesson_id } });
  const marks = async () => (await readRollCall()).marks.map(({ mark }) => mark);
  return {
    org,
    teacher,
    supervisor,
    asTeacher,
    asSupervisor,
    students,
    clazz_id,
    lesson_id,
    nameOf,
    marks,
    readRollCall,
  };
};

/** Gives a student approved leave from the lesson. */
export const excuseStudent = async ({ asSupervisor, lesson_id }: Classroom, student_id: string): Promise<void> => {
  const { items } = await asSupervisor.ok(leaveCalls.requestLeave, {
    body: { student_id, lesson_id, reason: 'A wedding in the family', override_reason: 'They called' },
  });
  for (const { id, status } of items)
    if (status === 'pending') await asSupervisor.ok(leaveCalls.approveLeave, { path: { id } });
};
