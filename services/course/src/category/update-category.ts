import { type courseCategoryCalls, courseEvents } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { touch } from '../shared/record.ts';
import { toCategory } from './category.entity.ts';
import { checkMove, lockCategory, saveCategory } from './save-category.ts';

export const updateCategory: Handler<typeof courseCategoryCalls.update> = async ({ path, body }, session) => {
  // Before the row's lock, so that two moves wait for each other in one order only.
  if (body.parent_id != null) await checkMove(session, path.id, body.parent_id);
  const it = await lockCategory(session, path.id);
  if (body.name !== undefined) it.name = body.name;
  if (body.parent_id !== undefined) it.parent_id = body.parent_id;
  touch(it, session);
  await saveCategory(session);
  const answer = toCategory(it);
  session.emit(courseEvents.categoryUpdated, it.id, answer);
  return answer;
};
