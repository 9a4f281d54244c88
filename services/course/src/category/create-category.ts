import { type courseCategoryCalls, courseEvents } from '@teaching/contracts';
import { type Handler, newRecord } from '@teaching/kit';
import { CATEGORY } from './category.table.ts';
import { saveCategory } from './save-category.ts';

export const createCategory: Handler<typeof courseCategoryCalls.create> = async ({ body }, session) => {
  const created = { ...newRecord(session), name: body.name, parent_id: body.parent_id ?? null };
  await saveCategory(session, CATEGORY.insert, created);
  session.emit(courseEvents.categoryCreated, created.id, created);
  return created;
};
