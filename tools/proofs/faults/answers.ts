import { type Api, fieldAt, listAt, textAt } from '../system/plain-api.ts';
import { type Figures, addFigures, CLAZZ_FIGURES, ORG_FIGURES, STUDENT_FIGURES, TEACHER_FIGURES } from './figures.ts';
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
  for (const part of [overview, fieldAt(overview, 'totals'), fieldAt(overview, 'hours')])
    addFigures(figures, 'org', part, ORG_FIGURES);
  return figures;
};

/** The figures that the statistics answer for an organization, its classes, seats, teachers and students. */
export const answeredFigures = async (api: Api, org: string, clazzes: readonly string[]): Promise<Figures> => {
  const figures = await orgFigures(api, org);
  for (const id of clazzes) {
    const clazz = await read(api, org, `clazz/${id}?${range()}`);
    addFigures(figures, `clazz ${id}`, fieldAt(clazz, 'totals'), CLAZZ_FIGURES);
    for (const row of listAt(clazz, 'students'))
      addFigures(figures, `seat ${id} ${textAt(row, 'student_id')}`, row, STUDENT_FIGURES);
  }
  for (const id of TEACHERS) {
    const teacher = await read(api, org, `teacher-detail?teacher_id=${id}&${range()}`);
    addFigures(figures, `teacher ${id}`, fieldAt(teacher, 'totals'), TEACHER_FIGURES);
  }
  for (const id of STUDENTS) {
    const student = await read(api, org, `my-lessons?student_id=${id}&${range()}`);
    for (const part of ['totals', 'hours'])
      addFigures(figures, `student ${id}`, fieldAt(student, part), STUDENT_FIGURES);
  }
  return figures;
};
