import { type courseCalls, notFound } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { NAMED } from './named.ts';
import { isOffered } from './course.rules.ts';

const READ = statement(`select ${NAMED.columns} from course c where c.org_id = $1 and c.id = $2`, NAMED.shape);

export const getCourse: Handler<typeof courseCalls.getCourse> = async ({ path }, session) => {
  const found = await session.one(READ, session.org_id, path.id);
  if (found === undefined || !session.reach.covers({ offered: isOffered(found) })) throw notFound('Course');
  return found;
};
