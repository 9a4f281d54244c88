import { type courseCategoryCalls, courseEvents } from '@teaching/contracts';
import { type Handler, touched } from '@teaching/kit';
import { CATEGORY } from './category.table.ts';
import { checkMove, lockCategory, saveCategory } from './save-category.ts';

export const updateCategory: Handler<typeof courseCategoryCalls.update> = async ({ path, body }, session) => {
  // Before the row's lock, so that two moves wait for each other in one order only.
  if (body.parent_id != null) await checkMove(session, path.id, body.parent_id);
  const it = await lockCategory(session, path.id);
  const { name = it.name, parent_id = it.parent_id } = body;
  const answer = touched({ ...it, name, parent_id }, session);
  await saveCategory(session, CATEGORY.update, answer);
  session.emit(courseEvents.categoryUpdated, it.id, answer);
  return answer;
};
