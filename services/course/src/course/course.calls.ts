import { courseCalls, courseEvents, CourseFields, notFound } from '@teaching/contracts';
import {
  equalsAnyOf,
  notNull,
  requireVersion,
  bigint,
  containsKeyword,
  type Handler,
  newRecord,
  p,
  pagedList,
  twoStepHandler,
  requireUnused,
  saveChanged,
  statement,
} from '@teaching/kit';
import { countRemoteCourseReferences } from '../reference/remote-references.ts';
import { COURSE, isOffered, lockCourse, NAMED_COURSE, saveCourse, withNames } from './course-rows.ts';

export const createCourse: Handler<typeof courseCalls.createCourse> = async ({ body }, session) => {
  const teacher_id = session.access.resolveOwner(body.teacher_id);
  const created = { ...newRecord(session), ...CourseFields.withDefaults(body, { teacher_id }) };
  await saveCourse(session, COURSE.insert, created);
  session.emit(courseEvents.courseCreated, created.id, created);
  return withNames(session, created);
};

const READ = statement(
  `select ${NAMED_COURSE.columns} from course c where c.org_id = $1 and c.id = $2`,
  NAMED_COURSE.shape,
);

export const getCourse: Handler<typeof courseCalls.getCourse> = async ({ path }, session) => {
  const found = await session.queryOne(READ, session.org_id, path.id);
  if (found === undefined || !session.access.allows({ offered: isOffered(found) })) throw notFound('Course');
  return found;
};

const list = pagedList({
  ...NAMED_COURSE,
  from: 'course c',
  sorts: {
    title: { by: 'title', type: 'text' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
  },
  where: {
    active: "status = 'active'",
    category_id: equalsAnyOf('category_id'),
    teacher_id: equalsAnyOf('teacher_id'),
    status: equalsAnyOf('status'),
    keyword: containsKeyword('search'),
  },
});

export const listCourses: Handler<typeof courseCalls.listCourses> = ({ query }, session) =>
  list(session, query, { ...query, active: session.access.isLimitedTo('offered') });

/** An absent field keeps its value. `null` resets it to the default of a new course. */
export const updateCourse: Handler<typeof courseCalls.updateCourse> = async ({ path, body }, session) => {
  const it = await lockCourse(session, path.id);
  session.access.requireOwner(it.teacher_id);
  const teacher_id = session.access.resolveOwner(body.teacher_id ?? it.teacher_id);
  const answer = await saveChanged(
    session,
    it,
    { ...it, ...CourseFields.applyPatch(it, body, { teacher_id }) },
    async (after) => {
      await saveCourse(session, COURSE.update, after);
      session.emit(courseEvents.courseUpdated, it.id, after);
    },
  );
  return withNames(session, answer);
};

const USES = statement(
  `select (select count(*) from course_group_course where org_id = $1 and course_id = $2) as groups,
          (select count(*) from lianxi where org_id = $1 and course_id = $2) as lianxi`,
  { groups: notNull(bigint()), lianxi: notNull(bigint()) },
);
const REMOVE_SECTIONS = statement('delete from course_section where org_id = $1 and course_id = $2 returning id', {
  id: p.uuid(),
});

/** Deletes the course and its sections. Each deleted section has its own event. */
export const deleteCourse = twoStepHandler(courseCalls.deleteCourse, {
  prepare: ({ path }, session) =>
    session.deletion.announce(path.id, {
      check: async () => {
        const it = requireVersion(session, await session.peekRow(COURSE, path.id), 'Course');
        session.access.requireOwner(it.teacher_id);
      },
      countReferences: () => countRemoteCourseReferences(session, path.id),
    }),
  run: async ({ path }, session, remoteUses) => {
    const it = await lockCourse(session, path.id);
    session.access.requireOwner(it.teacher_id);
    const uses = await session.queryOne(USES, session.org_id, it.id);
    requireUnused([
      { what: 'course_group', count: uses?.groups ?? 0 },
      { what: 'lianxi', count: uses?.lianxi ?? 0 },
      ...remoteUses,
    ]);
    const sections = await session.query(REMOVE_SECTIONS, session.org_id, it.id);
    for (const { id } of sections) session.emit(courseEvents.sectionDeleted, it.id, { id, course_id: it.id });
    session.remove(COURSE, it.id);
    session.emit(courseEvents.courseDeleted, it.id, { id: it.id });
    return null;
  },
});
