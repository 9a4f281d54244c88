import { randomUUID } from 'node:crypto';
import {
  type Clazz,
  type Enrolment,
  enrolmentCalls,
  type HourEntry,
  hourCalls,
  type Lesson,
  type Mark,
  type Output,
  policyCalls,
  type Policy,
  type Request,
  type RollCall,
  rollCallCalls,
  type RollCallSheet,
} from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import type { Clock } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, type Person, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { type NewClazzFields, type LessonFields, newClazz } from '../../../tools/proofs/test/clazz.ts';
import { enrolNow, postLesson } from './enrol-helpers.ts';

type LotBody = Omit<Request<typeof hourCalls.grantHours>['body'], 'student_id' | 'hours'>;

/** Short calls for tests of classes, roll call and hours, in the organization of the fixture. */
export const createSchool = (fixture: Fixture, clock: Clock) => {
  const people = peopleOf(() => fixture);
  const supervisor = people.supervisor();
  const teacher = people.teacher();
  /** The instant in `hours` hours, by the clock of the test. */
  const inHours = (hours: number): string => clock.after(hours * HOUR_MS);
  let made = 0;
  /** New student ids that no other test uses. */
  const students = (count: number): string[] =>
    Array.from({ length: count }, () => `s-${String((made += 1)).padStart(4, '0')}`);
  const account = (student_id: string): Promise<Output<typeof hourCalls.getHourAccount>> =>
    supervisor.ok(hourCalls.getHourAccount, { path: { student_id } });

  return {
    /** Advances the clock of the test and of the services. */
    passHours: (hours: number): void => clock.advance(hours * HOUR_MS),
    /** Runs the work with the clock `hours` hours later, then sets the clock back. */
    runHoursLater: (hours: number, work: () => Promise<void>): Promise<void> => clock.later(hours * HOUR_MS, work),
    supervisor,
    teacher,
    inHours,
    students,
    account,
    student: (sub: string) => people.student(sub),
    as: (person: Person) => fixture.as(person),
    /** An active class of teacher-1 with these students, who have been enrolled for a year. */
    classOf: async (student_ids: string[], fields: NewClazzFields = {}): Promise<Clazz['id']> => {
      const { id } = await newClazz(supervisor, fields);
      const body = { student_ids, since: inHours(-24 * 365) };
      if (student_ids.length > 0) await supervisor.ok(enrolmentCalls.enrolStudents, { path: { id }, body });
      return id;
    },
    enrol: (clazz_id: string, ...student_ids: string[]): Promise<Enrolment[]> =>
      enrolNow(supervisor, clazz_id, ...student_ids),
    /** A lesson of one hour that begins in `hours` hours, with a new teacher who has no other lesson. */
    lesson: async (clazz_id: string, hours: number, fields: LessonFields = {}): Promise<Lesson> => {
      const teacher_id = `substitute-${(made += 1)}`;
      return expectOk(await postLesson(supervisor, clazz_id, inHours(hours), { teacher_id, ...fields }), 201);
    },
    grant: (student_id: string, hours: string, fields: LotBody = {}): Promise<Output<typeof hourCalls.grantHours>> =>
      supervisor.ok(hourCalls.grantHours, { body: { student_id, hours, ...fields } }),
    balance: async (student_id: string): Promise<string> => (await account(student_id)).balance,
    /** The ledger, oldest first. */
    entries: async (student_id: string): Promise<HourEntry[]> =>
      (
        await supervisor.ok(hourCalls.listStudentHourEntries, { path: { student_id }, query: { limit: '100' } })
      ).items.toReversed(),
    submit: (lesson_id: string, marks: Readonly<Record<string, string>>, more: { reason?: string } = {}) =>
      teacher.put(`/clazz/lesson/${lesson_id}/roll-call`, {
        marks: Object.entries(marks).map(([student_id, mark]) => ({ student_id, mark })),
        ...more,
      }),
    rollCall: (lesson_id: string): Promise<RollCallSheet> =>
      teacher.ok(rollCallCalls.getRollCall, { path: { lesson_id } }),
    setPolicy: (settings: Request<typeof policyCalls.putPolicy>['body']): Promise<Policy> =>
      supervisor.ok(policyCalls.putPolicy, { body: settings }),
  };
};
export type School = ReturnType<typeof createSchool>;

/** A school in a new organization of the same fixture. */
export const createSchoolInNewOrg = (fixture: Fixture, clock: Clock): { org: string; school: School } => {
  const org = randomUUID();
  return { org, school: createSchool({ ...fixture, as: (person) => fixture.as({ org, ...person }) }, clock) };
};

/** The instant at which most tests of a school begin. */
export const MONDAY = '2026-03-02T10:00:00.000Z';

/** Starts the services that a school needs, on this clock. */
export const startSchool = async (clock: Clock): Promise<{ fixture: Fixture; school: School }> => {
  const fixture = await startFixture({ services: ['clazz', 'course', 'package'], clock: clock.now });
  return { fixture, school: createSchool(fixture, clock) };
};

/** The marks of a roll call by student. */
export const marksOf = ({ marks }: Pick<RollCall, 'marks'>): Record<string, Mark | null> =>
  Object.fromEntries(marks.map(({ student_id, mark }) => [student_id, mark]));
