import { isDeepStrictEqual } from 'node:util';
import { courseEvents, type courseGroupCalls, type FieldProblem, unknownIds } from '@teaching/contracts';
import { type Handler, statement, nextVersion } from '@teaching/kit';
import { COURSE } from '../course/course-rows.ts';
import { GROUP, GROUP_COURSE, lockGroup, readCourses } from './group-rows.ts';

/** Locks the courses, so that they cannot be deleted before the group refers to them. */
const EXISTING = statement(
  'select id from course where org_id = $1 and id = any($2::uuid[]) order by id for key share',
  COURSE.pick('id').shape,
);
const CURRENT = statement(
  'select course_id from course_group_course where org_id = $1 and group_id = $2 order by position',
  GROUP_COURSE.pick('course_id').shape,
);
const DROP = statement(
  'delete from course_group_course where org_id = $1 and group_id = $2 and course_id <> all($3::uuid[])',
);
const PUT = statement(
  `insert into course_group_course (org_id, group_id, course_id, position)
   select $1, $2, c.id, c.n - 1 from unnest($3::uuid[]) with ordinality as c(id, n)
   on conflict (org_id, group_id, course_id) do update set position = excluded.position`,
);

const pathOf = (index: number): string => `/body/course_ids/${index}`;

const requireKnown = (ids: readonly string[], existing: ReadonlySet<string>): void => {
  const unknown = ids.flatMap((id, index): FieldProblem[] =>
    existing.has(id) ? [] : [{ path: pathOf(index), message: 'does not exist' }],
  );
  if (unknown.length > 0) throw unknownIds(unknown);
};

/** Replaces the courses of a group. The same list in the same order changes nothing. */
export const putCourseGroupCourses: Handler<typeof courseGroupCalls.putCourseGroupCourses> = async (
  { path, body },
  session,
) => {
  const ids = body.course_ids;
  const it = await lockGroup(session, path.id);
  const [existing, current] = await Promise.all([
    session.query(EXISTING, session.org_id, ids),
    session.query(CURRENT, session.org_id, it.id),
  ]);
  requireKnown(ids, new Set(existing.map(({ id }) => id)));
  const before = current.map(({ course_id }) => course_id);
  if (isDeepStrictEqual(before, ids)) return { ...it, ...(await readCourses(session, it.id)) };
  const answer = nextVersion(it, session);
  session.run(DROP, session.org_id, it.id, ids);
  session.run(PUT, session.org_id, it.id, ids);
  session.update(GROUP, answer);
  session.emit(courseEvents.groupCoursesPut, it.id, { id: it.id, version: answer.version, course_ids: ids });
  return { ...answer, ...(await readCourses(session, it.id)) };
};
