import { type courseCalls, notFound } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { COURSE } from './course.table.ts';
import { maySee } from './course.rules.ts';

export const getCourse: Handler<typeof courseCalls.get> = async ({ path }, session) => {
  const found = await session.find(COURSE, path.id);
  if (found === undefined || !maySee(session.caller, found)) throw notFound('Course');
  return found;
};
