import { p } from '@mikro-orm/postgresql';
import { closureCalls, type Input, unknownIds } from '@teaching/contracts';
import { always, prepared, type Session, statement } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { close, previewed } from './close.ts';
import type { Closing } from './closing.rules.ts';
import { findScheduled } from './find-scheduled.ts';

const MISSING = statement(
  `select (w.n - 1)::int as index from unnest($2::uuid[]) with ordinality as w (id, n)
   where not exists (select from clazz c where c.org_id = $1 and c.id = w.id) order by w.n`,
  { index: always(p.integer()) },
);

/** 404 naming each class of the list that is not there. */
export const requireClazzes = async (session: Session, clazz_ids: readonly string[] | null): Promise<void> => {
  if (clazz_ids === null) return;
  const missing = await session.peek(MISSING, session.org_id, clazz_ids);
  if (missing.length === 0) return;
  throw unknownIds(missing.map(({ index }) => ({ path: `/body/clazz_ids/${index}`, message: 'does not exist' })));
};

const closingOf = ({ from, to, reason, ...body }: Input<typeof closureCalls.close>['body']): Closing => ({
  spans: [{ from, to, reason }],
  clazz_ids: body.clazz_ids ?? null,
  teacher_id: body.teacher_id ?? null,
  room: body.room ?? null,
  reason_public: body.reason_public ?? false,
  reason,
});

/** Cancels what is scheduled in a range, one class after the other, or says what it would cancel. */
export const closeLessons = prepared(closureCalls.close, {
  prepare: async ({ body }, session) => {
    const closing = closingOf(body);
    await requireClazzes(session, closing.clazz_ids);
    const found = await findScheduled(session, closing);
    return body.preview === true ? previewed(found) : close(session, closing, found);
  },
  run: async ({ body }, session, done) => {
    const shown = done.items.map((row) => row.clazz_id);
    if (body.preview === true) auditRead(session, 'lesson', shown);
    return done;
  },
});
