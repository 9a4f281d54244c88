import { type clazzCalls, Problem } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { requireMove } from './clazz.rules.ts';
import { endClazz } from './end-clazz.ts';
import { findBlockers } from './find-blockers.ts';
import { lockOwnClazz, saveClazz } from './load-clazz.ts';

const REMEMBER = statement(
  `insert into completion (org_id, clazz_id, at, lesson_ids, enrolments) values ($1, $2, $3, $4, $5)
   on conflict (org_id, clazz_id) do update
   set at = excluded.at, lesson_ids = excluded.lesson_ids, enrolments = excluded.enrolments`,
);

/** active → completed. Remembers what it ended, so that reopening can restore exactly that. */
export const completeClazz: Handler<typeof clazzCalls.complete> = async ({ path, body }, session) => {
  const it = await lockOwnClazz(session, path.id);
  session.checkVersion(it.version);
  requireMove(it.status, 'complete');
  const blockers = await findBlockers(session, it.id);
  if (blockers.length > 0 && body?.force !== true) {
    throw new Problem('completion_blocked', {
      detail: `${blockers.length} thing(s) stand in the way`,
      members: { blockers },
    });
  }
  const reason = body?.reason ?? null;
  const { lessons, enrolments } = await endClazz(session, it.id, 'completed', reason);
  session.run(
    REMEMBER,
    session.org_id,
    it.id,
    session.now,
    lessons.map((row) => row.id),
    JSON.stringify(enrolments.map(({ id, status }) => ({ id, status }))),
  );
  const completed = { ...it, status: 'completed' as const, completed_at: session.now.toISOString() };
  return saveClazz(session, it, completed, 'completed', reason);
};
