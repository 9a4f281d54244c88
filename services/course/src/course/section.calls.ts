import {
  courseEvents,
  CourseSection,
  courseSectionCalls,
  MAX_SECTIONS,
  notFound,
  Problem,
  SectionFields,
} from '@teaching/contracts';
import {
  notNull,
  bigint,
  type Handler,
  newRecord,
  pagedList,
  twoStepHandler,
  requireUnused,
  saveChanged,
  statement,
} from '@teaching/kit';
import { countRemoteSectionReferences } from '../reference/remote-references.ts';
import { lockSection, lockSections, readSections, renumberSections, SECTION } from './course-sections.ts';
import { COURSE, requireVisibleCourse } from './course-rows.ts';
import { checkOrder, checkParent, moveToPosition } from './section.rules.ts';

export const createCourseSection: Handler<typeof courseSectionCalls.createCourseSection> = async (
  { path, body },
  session,
) => {
  const sections = await lockSections(session, path.course_id);
  if (body.parent_id != null) checkParent(sections, body.parent_id);
  if (sections.length >= MAX_SECTIONS) {
    throw new Problem('invalid_request', `A course has at most ${MAX_SECTIONS} sections`);
  }
  const position = Math.min(body.position ?? sections.length, sections.length);
  const { course_id } = path;
  const created = { ...newRecord(session), course_id, ...SectionFields.withDefaults(body, {}), position };
  session.insert(SECTION, created);
  session.emit(courseEvents.sectionCreated, course_id, created);
  if (position < sections.length) {
    const ids = sections.map((section) => section.id);
    renumberSections(session, course_id, moveToPosition(ids, created.id, position));
  }
  return created;
};

const list = pagedList({
  ...SECTION.contractColumns(CourseSection),
  from: 'course_section',
  sorts: { position: { by: 'position', type: 'int' } },
  where: { course_id: 'course_id = ?' },
});

export const listCourseSections: Handler<typeof courseSectionCalls.listCourseSections> = async (
  { path, query },
  session,
) => {
  await requireVisibleCourse(session, path.course_id);
  const { limit, cursor } = query;
  if (limit === undefined && cursor === undefined) {
    return { items: await readSections(session, path.course_id), next_cursor: null };
  }
  return list(session, { limit: limit ?? 20, cursor, sort: 'position' }, path);
};

export const updateCourseSection: Handler<typeof courseSectionCalls.updateCourseSection> = async (
  { path, body },
  session,
) => {
  const { it, sections } = await lockSection(session, path.id);
  if (body.parent_id != null) checkParent(sections, body.parent_id, it.id);
  const position = Math.min(body.position ?? it.position, sections.length - 1);
  return saveChanged(session, it, { ...it, ...SectionFields.applyPatch(it, body, {}), position }, (after) => {
    session.update(SECTION, after);
    session.emit(courseEvents.sectionUpdated, it.course_id, after);
    if (position === it.position) return;
    const ids = sections.map((section) => section.id);
    renumberSections(session, it.course_id, moveToPosition(ids, it.id, position));
  });
};

/** Puts the sections of a course into the requested order. The current order changes nothing and publishes nothing. */
export const reorderCourseSections: Handler<typeof courseSectionCalls.reorderCourseSections> = async (
  { path, body },
  session,
) => {
  const sections = await lockSections(session, path.course_id);
  const ids = sections.map(({ id }) => id);
  checkOrder(ids, body.section_ids);
  if (body.section_ids.every((id, index) => ids[index] === id)) return { items: sections, next_cursor: null };
  renumberSections(session, path.course_id, body.section_ids);
  return { items: await readSections(session, path.course_id), next_cursor: null };
};

const USES = statement('select count(*) as lianxi from lianxi where org_id = $1 and course_section_id = $2', {
  lianxi: notNull(bigint()),
});

export const deleteCourseSection = twoStepHandler(courseSectionCalls.deleteCourseSection, {
  prepare: ({ path }, session) =>
    session.deletion.announce(path.id, {
      check: async () => {
        const it = await session.peekRow(SECTION, path.id);
        const course = it && (await session.peekRow(COURSE, it.course_id));
        if (it === undefined || course === undefined) throw notFound('Section');
        session.access.requireOwner(course.teacher_id);
        session.checkVersion(it.version);
        return it;
      },
      countReferences: (it) => countRemoteSectionReferences(session, it.course_id, it.id),
    }),
  run: async ({ path }, session, remoteUses) => {
    const { it, sections } = await lockSection(session, path.id);
    const uses = await session.queryOne(USES, session.org_id, it.id);
    requireUnused([
      { what: 'course_section', count: sections.filter(({ parent_id }) => parent_id === it.id).length },
      { what: 'lianxi', count: uses?.lianxi ?? 0 },
      ...remoteUses,
    ]);
    session.remove(SECTION, it.id);
    session.emit(courseEvents.sectionDeleted, it.course_id, { id: it.id, course_id: it.course_id });
    const others = sections.flatMap(({ id }) => (id === it.id ? [] : [id]));
    if (it.position < others.length) renumberSections(session, it.course_id, others);
    return null;
  },
});
