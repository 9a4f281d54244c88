import { p } from '@mikro-orm/postgresql';
import { type Clazz, clazzCalls, courseReferenceCalls, notFound, Problem } from '@teaching/contracts';
import { always, prepared, requireUnused, type Session, statement, type Use } from '@teaching/kit';
import { CLAZZ } from '../record/clazz.table.ts';
import { lockClazz } from '../record/load-clazz.ts';
import { requireMove } from './clazz.rules.ts';
import { removeContents } from './remove-contents.ts';
import { clazzChanged } from './save-clazz.ts';

/** Charges hang from marks, so a lesson that was held stays. */
const WAS_HELD = statement(
  `select exists (select from lesson l join mark_revision m on m.org_id = l.org_id and m.lesson_id = l.id
     where l.org_id = $1 and l.clazz_id = $2) as found`,
  { found: always(p.boolean()) },
);

const usesOfClazz = async (session: Session, clazz_id: string): Promise<Use[]> => {
  const { lianxi } = await session.neighbours.call(courseReferenceCalls.countReferences, { clazz_id });
  return [{ what: 'lianxi', count: lianxi }];
};

/** What no neighbour has to be asked about. */
const requireRemovable = (session: Session, it: Clazz | undefined): void => {
  if (it === undefined) throw notFound('Class');
  session.checkVersion(it.version);
  requireMove(it.status, 'delete');
};

/** Removes a draft with all that hangs from it; its audit trail stays. */
export const removeClazz = prepared(clazzCalls.remove, {
  prepare: ({ path }, session) =>
    session.deletion.announce(path.id, {
      first: async () => requireRemovable(session, await session.peekAt(CLAZZ, path.id)),
      ask: () => usesOfClazz(session, path.id),
    }),
  run: async ({ path }, session, uses) => {
    const it = await lockClazz(session, path.id);
    requireRemovable(session, it);
    const held = await session.one(WAS_HELD, session.org_id, it.id);
    if (held?.found === true) throw new Problem('in_use', 'Lessons of this class were held');
    requireUnused(uses);
    await removeContents(session, it.id);
    session.remove(CLAZZ, it.id);
    clazzChanged(session, 'deleted', it, it);
    return null;
  },
});
