import type { clazzCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { restoreBookings } from '../attendance/restore-bookings.ts';
import { lockClazz } from '../record/load-clazz.ts';
import { shownClazz } from '../record/shown-clazz.ts';
import { requireMove } from './clazz.rules.ts';
import { restoreEnrolments } from './restore-enrolments.ts';
import { cancelledWith, restoreLessons } from './restore-lessons.ts';
import { saveClazz } from './save-clazz.ts';

/** The first form of `reason`, which knew lessons only. */
const whyOf = (reason: string): 'past' | 'clash' => (reason === 'invalid_transition' ? 'past' : 'clash');

/** completed → active: restores exactly what completing ended or cancelled, as far as it still lies ahead. */
export const reopenClazz: Handler<typeof clazzCalls.reopenClazz> = async ({ path, body }, session) => {
  const it = await lockClazz(session, path.id);
  session.checkVersion(it.version);
  requireMove(it.status, 'reopen');
  const cancelled = await cancelledWith(session, it.id);
  const answer = saveClazz(session, it, { ...it, status: 'active', completed_at: null }, 'reopened', body.reason);
  const { at, busy } = await restoreEnrolments(session, it.id, body.reason);
  const { restored_lessons, not_restored } = await restoreLessons(session, it.id, cancelled, body.reason);
  const bookings = await restoreBookings(session, it.id, at, { reason: body.reason });
  const lost = bookings.map((row) => ({ ...row, why: whyOf(row.reason), conflicts: [] }));
  return {
    ...(await shownClazz(session, answer)),
    restored_lessons,
    not_restored: [...not_restored, ...busy, ...lost],
  };
};
