import {
  hourCalls,
  type HourEntry,
  type Lesson,
  type Mark,
  policyCalls,
  type Request,
  rollCallCalls,
} from '../../libs/contracts/src/index.ts';
import { type ClazzFields, clazzWith, enrol, type LessonFields, lessonAt, marking } from './clazz.ts';
import type { Clock } from './clock.ts';
import type { Fixture } from './fixture.ts';
import { peopleOf } from './people.ts';

/** What tests of roll call and hours do all the time, as sentences. */
export const schoolOn = (fixture: Fixture, { inHours }: Pick<Clock, 'inHours'>) => {
  const { supervisor, teacher, student } = peopleOf(() => fixture);
  let made = 0;
  const account = (student_id: string) => supervisor().ok(hourCalls.account, { path: { student_id } });
  return {
    supervisor,
    teacher,
    student,
    /** Students that no other test knows. */
    students: (count: number): string[] =>
      Array.from({ length: count }, () => `s-${String((made += 1)).padStart(4, '0')}`),
    /** An active class of teacher-1 with these students, enrolled since long ago. */
    classOf: (student_ids: string[], fields: ClazzFields = {}): Promise<string> =>
      clazzWith(supervisor(), student_ids, fields),
    enrol: (clazz_id: string, ...student_ids: string[]) => enrol(supervisor(), clazz_id, student_ids, inHours(0)),
    /** A lesson of one hour that begins so many hours from now, given by somebody who is free. */
    lesson: (clazz_id: string, hours: number, fields: LessonFields = {}): Promise<Lesson> => {
      const teacher_id = `substitute-${(made += 1)}`;
      return lessonAt(supervisor(), clazz_id, inHours(hours), { teacher_id, ...fields });
    },
    grant: (student_id: string, hours: string, fields: Partial<Request<typeof hourCalls.grant>['body']> = {}) =>
      supervisor().ok(hourCalls.grant, { body: { student_id, hours, ...fields } }),
    account,
    balance: async (student_id: string): Promise<string> => (await account(student_id)).balance,
    /** The ledger, oldest first. */
    entries: async (student_id: string): Promise<HourEntry[]> => {
      const page = { path: { student_id }, query: { limit: '100' } };
      return (await supervisor().ok(hourCalls.listEntries, page)).items.toReversed();
    },
    /** Takes the roll call; where it may be refused, send `marking` yourself. */
    submit: (lesson_id: string, marks: Readonly<Record<string, Mark>>, more: { reason?: string } = {}) =>
      teacher().ok(rollCallCalls.submit, marking(lesson_id, marks, more)),
    rollCall: (lesson_id: string) => teacher().ok(rollCallCalls.get, { path: { lesson_id } }),
    setPolicy: (body: Request<typeof policyCalls.put>['body']) => supervisor().ok(policyCalls.put, { body }),
  };
};
export type School = ReturnType<typeof schoolOn>;
