import { type courseCategoryCalls, courseEvents } from '@teaching/contracts';
import { type Handler, newId } from '@teaching/kit';
import { newRecord } from '../shared/record.ts';
import { CategoryEntity, toCategory } from './category.entity.ts';
import { saveCategory } from './save-category.ts';

export const createCategory: Handler<typeof courseCategoryCalls.create> = async ({ body }, session) => {
  const em = await session.entities();
  const created = em.create(CategoryEntity, {
    ...newRecord(session, newId()),
    name: body.name,
    parent_id: body.parent_id ?? null,
  });
  await saveCategory(session);
  const answer = toCategory(created);
  session.emit(courseEvents.categoryCreated, created.id, answer);
  return answer;
};
