import { clazzCalls, courseReferenceCalls, Problem } from '@teaching/contracts';
import { always, asKnown, p, prepared, requireUnused, type Session, statement, type Use } from '@teaching/kit';
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

/** Removes a draft with all that hangs from it; its audit trail stays. */
export const deleteClazz = prepared(clazzCalls.deleteClazz, {
  prepare: ({ path }, session) =>
    session.deletion.announce(path.id, {
      first: async () => requireMove(asKnown(session, await session.peekAt(CLAZZ, path.id), 'Class').status, 'delete'),
      ask: () => usesOfClazz(session, path.id),
    }),
  run: async ({ path }, session, uses) => {
    const it = await lockClazz(session, path.id);
    session.checkVersion(it.version);
    requireMove(it.status, 'delete');
    const held = await session.one(WAS_HELD, session.org_id, it.id);
    if (held?.found === true) throw new Problem('in_use', 'Lessons of this class were held');
    requireUnused(uses);
    await removeContents(session, it.id);
    session.remove(CLAZZ, it.id);
    clazzChanged(session, 'deleted', it, it);
    return null;
  },
});
