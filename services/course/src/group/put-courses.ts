import { courseEvents, type courseGroupCalls, type FieldProblem, Problem, unknownIds } from '@teaching/contracts';
import { type Handler, rowsOf, statement, touched } from '@teaching/kit';
import { readCourses } from './group-courses.ts';
import { GROUP } from './group.table.ts';
import { lockGroup } from './load-group.ts';

/** Holds the courses in place until the group refers to them. */
const EXISTING = statement<{ id: string }>(
  'select id from course where org_id = $1 and id = any($2::uuid[]) order by id for key share',
);
const CURRENT = statement<{ course_id: string }>(
  'select course_id from course_group_course where org_id = $1 and group_id = $2 order by position',
);
const DROP = statement(
  'delete from course_group_course where org_id = $1 and group_id = $2 and course_id <> all($3::uuid[])',
);
const PUT = statement(
  `insert into course_group_course (org_id, group_id, course_id, position)
   select $1, $2, c.id, c.n - 1 from unnest($3::uuid[]) with ordinality as c(id, n)
   on conflict (org_id, group_id, course_id) do update set position = excluded.position`,
);

const problemsOf = (ids: readonly string[], isWrong: (id: string, index: number) => boolean, message: string) =>
  ids.flatMap((id, index): FieldProblem[] =>
    isWrong(id, index) ? [{ path: `/body/course_ids/${index}`, message }] : [],
  );

/** The courses of the group become exactly these; the same list again changes nothing. */
export const putCourses: Handler<typeof courseGroupCalls.putCourses> = async ({ path, body }, session) => {
  const ids = body.course_ids;
  const twice = problemsOf(ids, (id, index) => ids.indexOf(id) !== index, 'is named twice');
  if (twice.length > 0) throw new Problem('invalid_request', { errors: twice });
  const it = await lockGroup(session, path.id);
  const [existing, current] = await Promise.all([
    session.query(EXISTING, session.org_id, ids),
    session.query(CURRENT, session.org_id, it.id),
  ]);
  const known = new Set(existing.map(({ id }) => id));
  const unknown = problemsOf(ids, (id) => !known.has(id), 'does not exist');
  if (unknown.length > 0) throw unknownIds(unknown);
  const unchanged = current.length === ids.length && current.every(({ course_id }, index) => course_id === ids[index]);
  const answer = unchanged ? it : touched(it, session);
  if (!unchanged) {
    session.run(DROP, session.org_id, it.id, ids);
    session.run(PUT, session.org_id, it.id, ids);
    session.run(GROUP.update, rowsOf(answer));
    session.emit(courseEvents.groupCoursesPut, it.id, { id: it.id, version: answer.version, course_ids: ids });
  }
  return { ...answer, courses: await readCourses(session, it.id) };
};
