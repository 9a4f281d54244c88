import { courseEvents, type lianxiCalls, notFound } from '@teaching/contracts';
import { type Handler, newRecord, statement } from '@teaching/kit';
import { LIANXI, toLianxiRow } from './lianxi.table.ts';
import { readNames } from './named.ts';

/** It stays until the copy is there, and so does its section. */
const HOLD = statement(`select ${LIANXI.columns} from lianxi where org_id = $1 and id = $2 for share`, LIANXI.shape);
/** Whom it was for and until when belong to the assignment, not to the questions. */
const UNASSIGNED = { clazz_id: null, due_at: null, closes_at: null };

/** A practice of the caller's own with the same questions and keys, assigned to nobody. */
export const copyLianxi: Handler<typeof lianxiCalls.copyLianxi> = async ({ path, body }, session) => {
  const it = await session.one(HOLD, session.org_id, path.id);
  if (it === undefined) throw notFound('Lianxi');
  const teacher_id = session.caller.user_id;
  const copy = { ...it, ...newRecord(session), ...UNASSIGNED, title: body?.title ?? it.title, teacher_id };
  session.insert(LIANXI, copy);
  session.emit(courseEvents.lianxiCreated, copy.id, toLianxiRow(copy));
  return { ...copy, ...(await readNames(session, copy.id)) };
};
