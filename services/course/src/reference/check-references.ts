import type { courseReferenceCalls } from '@teaching/contracts';
import { always, type Handler, leavingOf, statement, uuids } from '@teaching/kit';

/** As scalars: each id is looked up by the key, whatever the planner thinks of the sizes. */
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
     ${leavingOf('$2::uuid[] || $3::uuid[] || $5::uuid[]')} as leaving`,
  {
    category_ids: always(uuids()),
    course_ids: always(uuids()),
    course_section_ids: always(uuids()),
    leaving: always(uuids()),
  },
);

/** A section counts as there only within the course it is named with. */
export const checkReferences: Handler<typeof courseReferenceCalls.checkReferences> = async ({ body }, session) => {
  const { category_ids, course_ids, sections } = body;
  const pairs = JSON.stringify(sections);
  const ofPairs = sections.flatMap(({ course_id, course_section_id }) => [course_id, course_section_id]);
  const missing = await session.one(MISSING, session.org_id, category_ids, course_ids, pairs, ofPairs);
  return missing ?? { category_ids: [], course_ids: [], course_section_ids: [], leaving: [] };
};
