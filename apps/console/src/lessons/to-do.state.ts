import type { dakaCalls, jihuaCalls, Output } from '@teaching/contracts';
import { api } from '../shared/api.ts';
import { type QueryState, useQuery } from '../shared/query.ts';
import { now } from '../shared/clock.ts';
import { orgZone } from '../shared/format.ts';
import { readAllRows } from '../shared/row-query.ts';
import { addDays, localOf } from '../shared/zone.rules.ts';
import { type Child, chosenChild } from './child.rules.ts';
import { hasCredit, type Leave } from './lesson-days.rules.ts';
import { leavesOf, todayOf } from './family-lessons.state.ts';

type Plan = Output<typeof jihuaCalls.getJihua>;

/** A plan that is active today, with the student's check-ins. */
export interface ActivePlan {
  plan: Plan;
  streak: Output<typeof dakaCalls.getDakaStreak>;
  /** The local days with a check-in, of the last 60 days. */
  done: readonly string[];
  /** Today's date in the zone of the plan. */
  today: string;
}

/** The open tasks of one child: make-ups to choose, the earliest expiry first, and check-ins. */
export interface ChildToDo {
  child: Child;
  credits: readonly Leave[];
  plans: readonly ActivePlan[];
}

/** Plans may skip days, so planned days are searched this far back. */
const LOOK_BACK_DAYS = 60;

const activePlansOf = async (child: Child, signal: AbortSignal): Promise<ActivePlan[]> => {
  const student_id = child.id;
  const rows = await readAllRows((page) => api.listJihua({ query: { student_id, ...page } }, { signal }));
  const active = rows
    .map((row) => ({ ...row, today: localOf(now.value, row.zone).date }))
    .filter(({ starts_on, ends_on, today }) => starts_on <= today && today <= ends_on);
  return Promise.all(
    active.map(async ({ id, today }) => {
      const days = { from: addDays(today, -LOOK_BACK_DAYS), to: today, limit: '100' };
      const [plan, streak, done] = await Promise.all([
        api.getJihua({ path: { id }, query: chosenChild(child) }, { signal }),
        api.getDakaStreak({ query: { jihua_id: id, student_id } }, { signal }),
        api.listDaka({ query: { jihua_id: id, student_id, ...days } }, { signal }),
      ]);
      return { plan: plan.data, streak: streak.data, done: done.data.items.map(({ local_date }) => local_date), today };
    }),
  );
};

const expiryOf = ({ make_up }: Leave): number => Date.parse(make_up?.expires_at ?? '');

export const useToDo = (children: readonly Child[]): QueryState<ChildToDo[]> => {
  const today = todayOf(orgZone());
  return useQuery<ChildToDo[]>(
    `to do ${children.map(({ id }) => id).join()} ${today}`,
    (signal) =>
      Promise.all(
        children.map(async (child) => {
          const [leaves, plans] = await Promise.all([leavesOf(child, today, signal), activePlansOf(child, signal)]);
          return { child, credits: leaves.filter(hasCredit).toSorted((a, b) => expiryOf(a) - expiryOf(b)), plans };
        }),
      ),
    { kinds: ['plan', 'check_in', 'leave', 'lesson'] },
  );
};
