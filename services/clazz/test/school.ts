import { HOUR_MS } from '@teaching/kit';
import type { Answer } from '../../../tools/test/api.ts';
import type { Fixture } from '../../../tools/test/fixture.ts';
import { enrolled, lessonAt, newClazz, ok } from './helpers.ts';

type Body = Answer['body'];

/** What tests of roll call and hours do all the time, as sentences. */
export const schoolOn = (fixture: Fixture, now: () => Date) => {
  const supervisor = fixture.as({ role: 'SUPERVISOR' });
  const teacher = fixture.as({ role: 'TEACHER' });
  /** An instant so many hours from now. */
  const inHours = (hours: number): string => new Date(now().getTime() + hours * HOUR_MS).toISOString();
  let made = 0;

  return {
    supervisor,
    teacher,
    inHours,
    student: (sub: string) => fixture.as({ role: 'STUDENT', sub }),
    /** Students that no other test knows. */
    students: (count: number): string[] =>
      Array.from({ length: count }, () => `s-${String((made += 1)).padStart(4, '0')}`),
    /** An active class of teacher-1 with these students, enrolled since long ago. */
    classOf: async (student_ids: string[], fields: Record<string, unknown> = {}): Promise<string> => {
      const clazz = await newClazz(supervisor, fields);
      const since = inHours(-24 * 365);
      if (student_ids.length > 0) ok(await supervisor.post(`/clazz/${clazz.id}/student`, { student_ids, since }), 201);
      return clazz.id;
    },
    enrol: (clazz_id: string, ...student_ids: string[]) => enrolled(supervisor, clazz_id, ...student_ids),
    /** A lesson of one hour that begins so many hours from now, given by somebody who is free. */
    lesson: async (clazz_id: string, hours: number, fields: Record<string, unknown> = {}): Promise<Body> => {
      const teacher_id = `substitute-${(made += 1)}`;
      return ok(await lessonAt(supervisor, clazz_id, inHours(hours), { teacher_id, ...fields }), 201);
    },
    grant: async (student_id: string, hours: string, fields: Record<string, unknown> = {}): Promise<Body> =>
      ok(await supervisor.post('/clazz/hour/grant', { student_id, hours, ...fields }), 201),
    account: async (student_id: string): Promise<Body> => ok(await supervisor.get(`/clazz/hour/account/${student_id}`)),
    balance: async (student_id: string): Promise<string> =>
      ok(await supervisor.get(`/clazz/hour/account/${student_id}`)).balance,
    /** The ledger, oldest first. */
    entries: async (student_id: string): Promise<Body[]> =>
      ok(await supervisor.get(`/clazz/hour/entry/${student_id}?limit=100`)).items.toReversed(),
    submit: (lesson_id: string, marks: Record<string, string>, more: Record<string, unknown> = {}) =>
      teacher.put(`/clazz/lesson/${lesson_id}/roll-call`, {
        marks: Object.entries(marks).map(([student_id, mark]) => ({ student_id, mark })),
        ...more,
      }),
    rollCall: async (lesson_id: string): Promise<Body> => ok(await teacher.get(`/clazz/lesson/${lesson_id}/roll-call`)),
    setPolicy: async (settings: Record<string, unknown>): Promise<Body> =>
      ok(await supervisor.put('/clazz/policy', settings)),
  };
};
export type School = ReturnType<typeof schoolOn>;

/** The marks of a roll call by student. */
export const marksOf = (rollCall: Body): Record<string, string | null> =>
  Object.fromEntries(rollCall.marks.map((row: Body) => [row.student_id, row.mark]));

/** How parallel requests ended, sorted: status, and the code of refusals. */
export const codesOf = (answers: readonly Answer[]): string[] =>
  answers
    .map(({ status, body }) => (status < 400 ? String(status) : `${status} ${body.code}`))
    .toSorted((a, b) => a.localeCompare(b));
