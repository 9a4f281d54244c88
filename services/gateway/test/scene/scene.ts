import { enrolmentCalls, courseCalls, courseSectionCalls, lessonCalls, type Role } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import type { Api } from '../../../../tools/proofs/test/api.ts';
import { clazzWith, newClazz, type NewClazzFields } from '../../../../tools/proofs/test/clazz.ts';
import type { Fixture } from '../../../../tools/proofs/test/fixture.ts';
import { type OneOfEach, oneOfEach } from '../../../../tools/proofs/test/one-of-each.ts';
import type { AnyTestRequest } from '../../../../tools/proofs/test/any-request.ts';

/** The people who own, teach or attend the created records, or act for an attending student. */
export const PERSON: Readonly<Record<Role, string>> = {
  SUPERVISOR: 'supervisor-1',
  TEACHER: 'lee',
  STUDENT: 'ann',
  GUARDIAN: 'mia',
};

const MINUTE_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;
/** Later than all scheduled work. */
const FAR = Date.parse('2120-01-01T00:00:00Z');

/** The source of requests that succeed: people, permanent records, and functions that create the others. */
export interface Scene {
  our: OneOfEach;
  as: (role: Role) => Api;
  boss: Api;
  lee: Api;
  ann: Api;
  /** An active class that lee teaches, with ann in it. */
  hall: string;
  /** A course of lee and its section. */
  course: string;
  section: string;
  /** An unused name. */
  name: (of: string) => string;
  /** An unused hour of the far future. */
  hour: () => { starts_at: string; ends_at: string };
  /** An unused day of the far future. */
  day: () => string;
  /** An unused minute of yesterday. */
  minute: () => { starts_at: string; ends_at: string };
  /** Creates a lesson of the class some time from now; returns its id. */
  lesson: () => Promise<string>;
  /** Creates a lesson of a class without ann. */
  otherLesson: () => Promise<string>;
  /** Creates a lesson that has just ended. */
  pastLesson: () => Promise<string>;
  clazz: (state?: 'draft' | 'active', fields?: NewClazzFields) => Promise<string>;
  /** An active class and a student in it. */
  attended: () => Promise<{ id: string; student_id: string }>;
}

/** Input of a request in addition to `contract-requests.ts`, made for its sender. */
export type ReadyRequests = (scene: Scene, me: Api) => AnyTestRequest | Promise<AnyTestRequest>;

const spanFrom = (start: number, ms: number) => ({
  starts_at: new Date(start).toISOString(),
  ends_at: new Date(start + ms).toISOString(),
});

/** A record of each kind in the fixture's organization, and people who may work with them. */
export const createScene = async (fixture: Fixture): Promise<Scene> => {
  const as = (role: Role): Api => fixture.as({ role, sub: PERSON[role] });
  const [boss, lee, ann] = [as('SUPERVISOR'), as('TEACHER'), as('STUDENT')];
  const our = await oneOfEach(fixture);
  const lead = { lead_teacher_id: PERSON.TEACHER };
  const hall = await clazzWith(boss, [PERSON.STUDENT], lead);
  const course = await boss.ok(courseCalls.createCourse, {
    body: { title: 'C', teacher_id: PERSON.TEACHER, status: 'active' },
  });
  const section = await lee.ok(courseSectionCalls.createCourseSection, {
    path: { course_id: course.id },
    body: { title: 'S' },
  });
  const [now, made] = [Date.now(), { names: 0, hours: 0, days: 0, past: 0 }];

  const hour = () => spanFrom(FAR + (made.hours += 1) * HOUR_MS, HOUR_MS);
  // Recent enough for teachers to mark, and at another time than the other records.
  const minute = () => spanFrom(now - DAY_MS - (made.past += 1) * 2 * MINUTE_MS, MINUTE_MS);
  const lessonIn = async (id: string, body: { starts_at: string; ends_at: string }): Promise<string> =>
    (await boss.ok(lessonCalls.createLesson, { path: { id }, body })).id;
  const name = (of: string): string => `${of} ${(made.names += 1)}`;
  const clazz: Scene['clazz'] = async (state = 'active', fields = {}) =>
    (await newClazz(boss, { ...lead, ...fields }, state)).id;
  return {
    our,
    as,
    boss,
    lee,
    ann,
    hall,
    course: course.id,
    section: section.id,
    name,
    hour,
    day: () => new Date(FAR + 100 * 365 * DAY_MS + (made.days += 1) * DAY_MS).toISOString().slice(0, 10),
    lesson: () => lessonIn(hall, hour()),
    otherLesson: async () => lessonIn(await clazz(), hour()),
    minute,
    pastLesson: () => lessonIn(hall, minute()),
    clazz,
    attended: async () => {
      const [id, student_id] = [await clazz(), name('student').replace(' ', '-')];
      await boss.ok(enrolmentCalls.enrolStudents, { path: { id }, body: { student_ids: [student_id] } });
      return { id, student_id };
    },
  };
};
