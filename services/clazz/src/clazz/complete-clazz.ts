import { type clazzCalls, Problem } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { toClazz } from './clazz.entity.ts';
import { requireMove } from './clazz.rules.ts';
import { endClazz } from './end-clazz.ts';
import { findBlockers } from './find-blockers.ts';
import { lockOwnClazz, touch } from './load-clazz.ts';

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
  const before = toClazz(it);
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
  it.status = 'completed';
  it.completed_at = session.now.toISOString();
  return touch(session, it, before, 'completed', reason);
};
