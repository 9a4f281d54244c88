import { type Api, at, listAt, textAt } from '../system/plain-api.ts';
import { type Figures, note, OF_CLAZZ, OF_ORG, OF_STUDENT, OF_TEACHER } from './figures.ts';
import { poll } from '../system/poll.ts';
import { STUDENTS, TEACHERS } from './school.ts';

const DAY_MS = 86_400_000;
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const range = (): string => `from=${day(Date.now() - 500 * DAY_MS)}&to=${day(Date.now() + 30 * DAY_MS)}&unit=month`;
const TIMEOUT_MS = 10_000;

/** Returns the body of a read, or `undefined` after a 404. Retries while a restarted service does not answer. */
const read = async (api: Api, org: string, path: string): Promise<unknown> => {
  const answer = await poll(
    async () => {
      const response = await api({ path: `/clazz/stats/${path}`, org });
      return response.status === 200 || response.status === 404 ? response : undefined;
    },
    TIMEOUT_MS,
    200,
  );
  if (answer === undefined) throw new Error(`statistics do not answer ${path}`);
  return answer.status === 200 ? answer.body : undefined;
};

export const orgFigures = async (api: Api, org: string): Promise<Figures> => {
  const figures: Figures = new Map();
  const overview = await read(api, org, `org-overview?${range()}`);
  for (const part of [overview, at(overview, 'totals'), at(overview, 'hours')]) note(figures, 'org', part, OF_ORG);
  return figures;
};

/** The figures that the statistics answer for an organization, its classes, seats, teachers and students. */
export const answeredFigures = async (api: Api, org: string, clazzes: readonly string[]): Promise<Figures> => {
  const figures = await orgFigures(api, org);
  for (const id of clazzes) {
    const clazz = await read(api, org, `clazz/${id}?${range()}`);
    note(figures, `clazz ${id}`, at(clazz, 'totals'), OF_CLAZZ);
    for (const row of listAt(clazz, 'students'))
      note(figures, `seat ${id} ${textAt(row, 'student_id')}`, row, OF_STUDENT);
  }
  for (const id of TEACHERS) {
    const teacher = await read(api, org, `teacher-detail?teacher_id=${id}&${range()}`);
    note(figures, `teacher ${id}`, at(teacher, 'totals'), OF_TEACHER);
  }
  for (const id of STUDENTS) {
    const student = await read(api, org, `my-lessons?student_id=${id}&${range()}`);
    for (const part of ['totals', 'hours']) note(figures, `student ${id}`, at(student, part), OF_STUDENT);
  }
  return figures;
};
