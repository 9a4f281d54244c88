import { clazzCalls, Problem } from '@teaching/contracts';
import { isSupervisor, prepared } from '@teaching/kit';
import { promoteWaiting, requireSeats } from '../enrolment/seats.ts';
import { staffChanged } from '../relation/staff.ts';
import { checkReferences } from './check-references.ts';
import { toClazz } from './clazz.entity.ts';
import { applyPatch, requireOpen } from './clazz.rules.ts';
import { lockOwnClazz, touch } from './load-clazz.ts';

export const updateClazz = prepared(clazzCalls.update, {
  prepare: ({ body }, session) => checkReferences(session, body),
  run: async ({ path, body }, session) => {
    const it = await lockOwnClazz(session, path.id);
    session.checkVersion(it.version);
    requireOpen(it);
    const before = toClazz(it);
    const next = applyPatch(before, body);
    if (next.lead_teacher_id !== before.lead_teacher_id && !isSupervisor(session.caller)) {
      throw new Problem('forbidden', 'Only a supervisor may give the class to another lead teacher');
    }
    const otherSeats = next.capacity !== before.capacity;
    if (next.capacity !== null && otherSeats) await requireSeats(session, it.id, next.capacity);
    Object.assign(it, next);
    if (next.lead_teacher_id !== before.lead_teacher_id) {
      it.assistant_ids = it.assistant_ids.filter((id) => id !== next.lead_teacher_id);
    }
    const answer = touch(session, it, before, 'updated');
    await staffChanged(session, before, answer);
    if (otherSeats) await promoteWaiting(session, answer);
    return answer;
  },
});
