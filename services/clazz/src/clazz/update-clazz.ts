import { isDeepStrictEqual } from 'node:util';
import { clazzCalls, ClazzFields } from '@teaching/contracts';
import { prepared } from '@teaching/kit';
import { requirePlaces } from '../people/places.ts';
import { staffChanged } from '../people/staff.ts';
import { requireOpen } from '../record/access.rules.ts';
import { noteFreed } from '../record/freed.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { shownClazz } from '../record/shown-clazz.ts';
import { requireListedTeacher } from '../record/require-listed.ts';
import { checkReferences } from './check-references.ts';
import { checkDays, requireMayHandOver } from './clazz.rules.ts';
import { handOverLessons } from './hand-over-lessons.ts';
import { saveClazz } from './save-clazz.ts';

export const updateClazz = prepared(clazzCalls.updateClazz, {
  prepare: ({ body }, session) => checkReferences(session, body),
  run: async ({ path, body }, session) => {
    const it = await lockOwnClazz(session, path.id);
    session.checkVersion(it.version);
    requireOpen(it);
    const next = ClazzFields.patched(it, body, {});
    checkDays(next);
    const isOtherLead = next.lead_teacher_id !== it.lead_teacher_id;
    if (isOtherLead) requireMayHandOver(session.caller);
    if (isOtherLead) await requireListedTeacher(session, next.lead_teacher_id, '/body/lead_teacher_id');
    const otherCapacity = next.capacity !== it.capacity;
    if (next.capacity !== null && otherCapacity) await requirePlaces(session, it.id, next.capacity);
    const assistant_ids = it.assistant_ids.filter((id) => id !== next.lead_teacher_id);
    const wanted = { ...it, ...next, assistant_ids };
    if (isDeepStrictEqual(wanted, it)) return shownClazz(session, it);
    const answer = saveClazz(session, it, wanted, 'updated');
    await staffChanged(session, it, answer);
    if (isOtherLead && body.lessons !== 'keep') await handOverLessons(session, it, answer);
    if (otherCapacity) noteFreed(session, { clazz_ids: [it.id] });
    return shownClazz(session, answer);
  },
});
