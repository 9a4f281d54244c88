import type { courseReferenceCalls } from '@teaching/contracts';
import { notNull, bigint, type Handler, idsBeingDeleted, statement, uuids } from '@teaching/kit';

/** The scalar subqueries make Postgres look up each id by its key, independent of the planner's size estimates. */
const MISSING = statement(
  `select
     array(select w.id from unnest($2::uuid[]) as w(id)
           where (select c.id from course_category c where c.org_id = $1 and c.id = w.id) is null) as category_ids,
     array(select w.id from unnest($3::uuid[]) as w(id)
           where (select c.id from course c where c.org_id = $1 and c.id = w.id) is null) as course_ids,
     array(select w.course_section_id
           from json_to_recordset($4) as w(course_id uuid, course_section_id uuid)
           where (select s.id from course_section s where s.org_id = $1 and s.id = w.course_section_id
                  and s.course_id = w.course_id) is null) as course_section_ids,
     ${idsBeingDeleted('$2::uuid[] || $3::uuid[] || $5::uuid[]')} as leaving`,
  {
    category_ids: notNull(uuids()),
    course_ids: notNull(uuids()),
    course_section_ids: notNull(uuids()),
    leaving: notNull(uuids()),
  },
);

/** Reports a section as missing if it is not a section of the course in the same pair. */
export const checkReferences: Handler<typeof courseReferenceCalls.checkReferences> = async ({ body }, session) => {
  const { category_ids, course_ids, sections } = body;
  const pairs = JSON.stringify(sections);
  const ofPairs = sections.flatMap(({ course_id, course_section_id }) => [course_id, course_section_id]);
  const missing = await session.queryOne(MISSING, session.org_id, category_ids, course_ids, pairs, ofPairs);
  return missing ?? { category_ids: [], course_ids: [], course_section_ids: [], leaving: [] };
};

const BY_CLAZZ = statement('select count(*) as lianxi from lianxi where org_id = $1 and clazz_id = $2', {
  lianxi: notNull(bigint()),
});

export const countReferences: Handler<typeof courseReferenceCalls.countReferences> = async ({ body }, session) => {
  session.references.setFence(body.clazz_id);
  const found = await session.queryOne(BY_CLAZZ, session.org_id, body.clazz_id);
  return { lianxi: found?.lianxi ?? 0 };
};

const countOf = (table: string, column: string): string =>
  `(select count(*) from ${table} where org_id = $1 and ${column} = $2)`;
const COUNT_PERSON = statement(
  `select ${countOf('course', 'teacher_id')} as courses, ${countOf('course_group', 'owner_id')} as groups,
     ${countOf('lianxi', 'teacher_id')} + ${countOf('lianxi_student', 'student_id')} as lianxi,
     ${countOf('jihua', 'teacher_id')} + ${countOf('jihua_student', 'student_id')} + ${countOf('daka', 'student_id')} as jihua,
     ${countOf('submission', 'student_id')} as submissions`,
  {
    courses: notNull(bigint()),
    groups: notNull(bigint()),
    lianxi: notNull(bigint()),
    jihua: notNull(bigint()),
    submissions: notNull(bigint()),
  },
);

/** Counts the records that have the person as owner or student. Marks by the person are history and do not count. */
export const countPerson: Handler<typeof courseReferenceCalls.countPerson> = async ({ body }, session) =>
  (await session.queryOne(COUNT_PERSON, session.org_id, body.user_id)) ?? {
    courses: 0,
    groups: 0,
    lianxi: 0,
    jihua: 0,
    submissions: 0,
  };
