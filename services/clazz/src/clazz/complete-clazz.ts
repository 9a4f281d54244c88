import { type clazzCalls, Problem } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { shownClazz } from '../record/shown-clazz.ts';
import { requireMove } from './clazz.rules.ts';
import { COMPLETION } from './completion.table.ts';
import { endClazz } from './end-clazz.ts';
import { findBlockers } from './find-blockers.ts';
import { saidWhy } from '../schedule/lesson.rules.ts';
import { saveClazz } from './save-clazz.ts';

/** A class may be completed again after it was reopened. */
const STORE = statement(
  `insert into completion (${COMPLETION.columns})
   select ${COMPLETION.columns} from ${COMPLETION.given('$1')}
   on conflict (org_id, clazz_id) do update
   set at = excluded.at, lesson_ids = excluded.lesson_ids, enrolments = excluded.enrolments`,
);

/** active → completed. Remembers what it ended, so that reopening can restore exactly that. */
export const completeClazz: Handler<typeof clazzCalls.completeClazz> = async ({ path, body }, session) => {
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
  const why = saidWhy(body);
  const { lessons, enrolments } = await endClazz(session, it.id, 'completed', why);
  const at = session.now.toISOString();
  const ended = {
    org_id: session.org_id,
    clazz_id: it.id,
    at,
    lesson_ids: lessons.map((row) => row.id),
    enrolments: enrolments.map(({ id, status }) => ({ id, status })),
  };
  session.run(STORE, COMPLETION.rows([ended]));
  const wanted = { ...it, status: 'completed' as const, completed_at: at };
  return shownClazz(session, saveClazz(session, it, wanted, 'completed', why.reason));
};
