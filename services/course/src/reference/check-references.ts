import type { courseReferenceCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';

const MISSING = statement<{ category_ids: string[]; course_ids: string[]; course_section_ids: string[] }>(
  `select
     array(select w.id from unnest($2::uuid[]) as w(id)
           where not exists (select from course_category c where c.org_id = $1 and c.id = w.id)) as category_ids,
     array(select w.id from unnest($3::uuid[]) as w(id)
           where not exists (select from course c where c.org_id = $1 and c.id = w.id)) as course_ids,
     array(select w.id from unnest($4::uuid[], $5::uuid[]) as w(course_id, id)
           where not exists (select from course_section s
                             where s.org_id = $1 and s.id = w.id and s.course_id = w.course_id)) as course_section_ids`,
);

/** A section counts as there only within the course it is named with. */
export const checkReferences: Handler<typeof courseReferenceCalls.checkReferences> = async ({ body }, session) => {
  const missing = await session.one(
    MISSING,
    session.org_id,
    body.category_ids,
    body.course_ids,
    body.sections.map((it) => it.course_id),
    body.sections.map((it) => it.course_section_id),
  );
  return missing ?? { category_ids: [], course_ids: [], course_section_ids: [] };
};
