import { courseEvents, type jihuaCalls } from '@teaching/contracts';
import { type Handler, localDate, requireUnused, saveChanged } from '@teaching/kit';
import { checkIns } from './check-ins.ts';
import { readNames } from './jihua-students.ts';
import { changesPast, daysOf, goingOn, requireReadable, withPatch } from './jihua.rules.ts';
import { JIHUA } from './jihua.table.ts';
import { lockJihua } from './lock-jihua.ts';

export const updateJihua: Handler<typeof jihuaCalls.updateJihua> = async ({ path, body }, session) => {
  const it = await lockJihua(session, path.id);
  requireReadable(body.rrule);
  const wanted = withPatch(it, body);
  const plan = goingOn(it, wanted, localDate(session.now, wanted.zone));
  const planned_dates = daysOf(plan);
  if (changesPast(it, plan, '')) {
    const { count } = await checkIns(session, it.id);
    requireUnused([{ what: 'daka', count }]);
  } else if (plan.ends_on < it.ends_on) {
    const { count, last } = await checkIns(session, it.id);
    if (changesPast(it, plan, last ?? '')) requireUnused([{ what: 'daka', count }]);
  }
  const answer = await saveChanged(session, it, { ...it, ...plan }, (after) => {
    session.update(JIHUA, { ...after, planned_dates });
    session.emit(courseEvents.jihuaUpdated, it.id, after);
  });
  return { ...answer, planned_dates, ...(await readNames(session, answer)) };
};
