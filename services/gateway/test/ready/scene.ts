import { enrolmentCalls, courseCalls, courseSectionCalls, lessonCalls, type Role } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import type { Api } from '../../../../tools/proofs/test/api.ts';
import { clazzWith, newClazz, type SomeOfClazz } from '../../../../tools/proofs/test/clazz.ts';
import type { Fixture } from '../../../../tools/proofs/test/fixture.ts';
import { type OneOfEach, oneOfEach } from '../../../../tools/proofs/test/one-of-each.ts';
import type { AnyTestRequest } from '../../../../tools/proofs/test/any-request.ts';

/** Who owns, teaches or attends what is made here, or stands for who attends it. */
export const PERSON: Readonly<Record<Role, string>> = {
  SUPERVISOR: 'supervisor-1',
  TEACHER: 'lee',
  STUDENT: 'ann',
  GUARDIAN: 'mia',
};

const MINUTE_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;
/** Long after everything that happens by itself. */
const FAR = Date.parse('2120-01-01T00:00:00Z');

/** What requests are made from that are to succeed: people, records that stay, and means to make those that do not. */
export interface Scene {
  our: OneOfEach;
  as: (role: Role) => Api;
  boss: Api;
  lee: Api;
  ann: Api;
  /** An active class of lee's with ann in it. */
  hall: string;
  /** A course of lee's, and its section. */
  course: string;
  section: string;
  /** A name that nothing has yet. */
  name: (of: string) => string;
  /** An hour of the far future in which nobody has a lesson yet. */
  hour: () => { starts_at: string; ends_at: string };
  /** A day of the far future for which nothing is planned yet. */
  day: () => string;
  /** A minute of yesterday of which the same is true. */
  minute: () => { starts_at: string; ends_at: string };
  /** A lesson of the hall, some time from now; its id. */
  lesson: () => Promise<string>;
  /** One that is just over. */
  pastLesson: () => Promise<string>;
  clazz: (state?: 'draft' | 'active', fields?: SomeOfClazz) => Promise<string>;
  /** An active class and a student in it. */
  attended: () => Promise<{ id: string; student_id: string }>;
}

/** What a request needs beside that of `contract-requests.ts`: made for whom is to send it. */
export type Ready = (scene: Scene, me: Api) => AnyTestRequest | Promise<AnyTestRequest>;

const spanFrom = (start: number, ms: number) => ({
  starts_at: new Date(start).toISOString(),
  ends_at: new Date(start + ms).toISOString(),
});

/** A record of each kind in the fixture's organization, and people who may work with them. */
export const sceneOn = async (fixture: Fixture): Promise<Scene> => {
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
  // Within the time in which teachers may still mark, and apart from that of the other records.
  const minute = () => spanFrom(now - DAY_MS - (made.past += 1) * 2 * MINUTE_MS, MINUTE_MS);
  const lessonIn = async (body: { starts_at: string; ends_at: string }): Promise<string> =>
    (await boss.ok(lessonCalls.createLesson, { path: { id: hall }, body })).id;
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
    lesson: () => lessonIn(hour()),
    minute,
    pastLesson: () => lessonIn(minute()),
    clazz,
    attended: async () => {
      const [id, student_id] = [await clazz(), name('student').replace(' ', '-')];
      await boss.ok(enrolmentCalls.enrolStudents, { path: { id }, body: { student_ids: [student_id] } });
      return { id, student_id };
    },
  };
};
