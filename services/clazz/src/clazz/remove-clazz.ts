import { p } from '@mikro-orm/postgresql';
import { type clazzCalls, clazzEvents, Problem } from '@teaching/contracts';
import { always, type Handler, statement } from '@teaching/kit';
import { inParts } from '../audit/in-parts.ts';
import { release } from '../cascade/lessons-changed.ts';
import { CLAZZ } from '../record/clazz.table.ts';
import { LESSON } from '../record/lesson.table.ts';
import { lockClazz } from '../record/load-clazz.ts';
import { requireMove } from './clazz.rules.ts';
import { clazzChanged } from './save-clazz.ts';

/** Charges hang from marks, so a lesson that was held stays. */
const WAS_HELD = statement(
  `select exists (select from lesson l join mark_revision m on m.org_id = l.org_id and m.lesson_id = l.id
     where l.org_id = $1 and l.clazz_id = $2) as found`,
  { found: always(p.boolean()) },
);
const LESSONS = statement('select id from lesson where org_id = $1 and clazz_id = $2', LESSON.some('id').shape);
const DELETE_LESSONS = statement(
  'delete from lesson where org_id = $1 and clazz_id = $2 returning id',
  LESSON.some('id').shape,
);

/** Removes a draft with all that hangs from it; its audit trail stays. */
export const removeClazz: Handler<typeof clazzCalls.remove> = async ({ path }, session) => {
  const it = await lockClazz(session, path.id);
  session.checkVersion(it.version);
  requireMove(it.status, 'delete');
  const held = await session.one(WAS_HELD, session.org_id, it.id);
  if (held?.found === true) throw new Problem('in_use', 'Lessons of this class were held');
  const theirs = await session.query(LESSONS, session.org_id, it.id);
  await release(
    session,
    theirs.map((row) => row.id),
    null,
  );
  const lessons = await session.query(DELETE_LESSONS, session.org_id, it.id);
  session.remove(CLAZZ, it.id);
  for (const part of inParts(lessons)) {
    session.emit(clazzEvents.lessonDeleted, it.id, { clazz_id: it.id, lesson_ids: part.map((row) => row.id) });
  }
  clazzChanged(session, 'deleted', it, it);
  return null;
};
