import { notFound, type packageCalls } from '@teaching/contracts';
import { type Handler, Reply, statement } from '@teaching/kit';
import { maySee } from '../package/package.rules.ts';

/** One statement, and Postgres writes the JSON: this is the hottest read. */
const LIST = statement<{ active: boolean; published_at: string | null; items: string }>(
  `select p.active, p.published_at, (
     select coalesce(json_agg(json_build_object(
       'id', i.id, 'package_id', i.package_id, 'course_id', i.course_id, 'course_section_id', i.course_section_id,
       'title', i.title, 'hours', i.hours::text, 'position', i.position, 'note', i.note) order by i.position), '[]')::text
     from course_package_item i where i.org_id = $1 and i.package_id = $2
   ) as items
   from course_package p where p.org_id = $1 and p.id = $2`,
);

export const listItems: Handler<typeof packageCalls.listItems> = async ({ path }, session) => {
  const found = await session.one(LIST, session.org_id, path.package_id);
  if (found === undefined || !maySee(session.caller, found)) throw notFound('Package');
  return Reply.json(`{"items":${found.items},"next_cursor":null}`);
};
