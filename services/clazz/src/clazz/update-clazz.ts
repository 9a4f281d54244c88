import { isDeepStrictEqual } from 'node:util';
import { clazzCalls, ClazzFields, Problem } from '@teaching/contracts';
import { isSupervisor, prepared } from '@teaching/kit';
import { promoteWaiting, requirePlaces } from '../people/places.ts';
import { staffChanged } from '../people/staff.ts';
import { requireOpen } from '../record/access.rules.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { checkReferences } from './check-references.ts';
import { checkDays } from './clazz.rules.ts';
import { saveClazz } from './save-clazz.ts';

export const updateClazz = prepared(clazzCalls.update, {
  prepare: ({ body }, session) => checkReferences(session, body),
  run: async ({ path, body }, session) => {
    const it = await lockOwnClazz(session, path.id);
    session.checkVersion(it.version);
    requireOpen(it);
    const next = ClazzFields.patched(it, body, {});
    checkDays(next);
    if (next.lead_teacher_id !== it.lead_teacher_id && !isSupervisor(session.caller)) {
      throw new Problem('forbidden', 'Only a supervisor may give the class to another lead teacher');
    }
    const otherCapacity = next.capacity !== it.capacity;
    if (next.capacity !== null && otherCapacity) await requirePlaces(session, it.id, next.capacity);
    const assistant_ids = it.assistant_ids.filter((id) => id !== next.lead_teacher_id);
    const wanted = { ...it, ...next, assistant_ids };
    if (isDeepStrictEqual(wanted, it)) return it;
    const answer = saveClazz(session, it, wanted, 'updated');
    await staffChanged(session, it, answer);
    if (otherCapacity) await promoteWaiting(session, answer);
    return answer;
  },
});
