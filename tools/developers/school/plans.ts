import { addDays } from '../../../libs/kit/src/base/time.ts';
import { inParallel } from '../../operators/cli/in-parallel.ts';
import { draw } from './random-draws.rules.ts';
import { allOf, type SchoolContext, PARALLEL, unlessRefused } from './school-context.ts';
import type { Frame, MadeClazz } from './timetable.ts';

interface Plan {
  key: string;
  title: string;
  weekdays: number[] | null;
  items: string[];
}

const PLANS: readonly Plan[] = [
  { key: 'hsk-2', title: '每天十个汉字', weekdays: null, items: ['写十个汉字', '大声读'] },
  {
    key: 'spanish-a1',
    title: 'Fifteen minutes of Spanish',
    weekdays: [1, 2, 3, 4, 5],
    items: ['Vocabulary', 'One page aloud'],
  },
  { key: 'piano', title: 'Piano every day', weekdays: [1, 2, 3, 4, 5, 6], items: ['Scales', 'The piece of the week'] },
];

/** Days of a new plan before and after today, and days for late check-ins. */
const [BACK_DAYS, AHEAD_DAYS, BACKFILL_DAYS] = [18, 42, 60];
const EXTEND_DAYS = 14;

/** Of a hundred days, on how many a student does it: some never miss one. */
const diligenceOf = (student_id: string): number => [100, 92, 75, 97][draw(4, 'diligence', student_id)] ?? 90;

const checkIn = async (
  making: SchoolContext,
  { id, planned_dates, ends_on }: { id: string; planned_dates: string[]; ends_on: string },
  plan: Plan,
  made: MadeClazz,
  today: string,
): Promise<void> => {
  const { as } = making;
  const teacher = as(made.clazz.teacher);
  const there = await allOf((cursor) => teacher.listDaka({ query: { jihua_id: id, limit: '100', cursor } }));
  const days = planned_dates.filter((day) => day < today && day >= addDays(today, -BACKFILL_DAYS));
  const wanted = days.flatMap((local_date) =>
    made.clazz.students
      .filter((student_id) => draw(100, 'daka', student_id, local_date) < diligenceOf(student_id))
      .filter((student_id) => !there.some((it) => it.student_id === student_id && it.local_date === local_date))
      .map((student_id) => ({ local_date, student_id })),
  );
  await inParallel(wanted, PARALLEL, ({ local_date, student_id }) =>
    unlessRefused(`${plan.title} of ${student_id}`, making, async () => {
      const content = plan.items[draw(plan.items.length, 'did', student_id, local_date)] ?? plan.title;
      await as(student_id).putDaka({ body: { jihua_id: id, local_date, content } });
      making.onStep();
    }),
  );
  if (ends_on < addDays(today, EXTEND_DAYS))
    await teacher.updateJihua({ path: { id }, body: { ends_on: addDays(ends_on, AHEAD_DAYS) } });
};

/** Plans with the check-ins of the days that are over. */
export const makePlans = async (
  making: SchoolContext,
  made: readonly MadeClazz[],
  { zone, today }: Frame,
): Promise<void> => {
  const there = await allOf((cursor) => making.office.listJihua({ query: { limit: '100', cursor } }));
  for (const plan of PLANS) {
    const it = made.find(({ clazz }) => clazz.key === plan.key);
    if (it === undefined) continue;
    const teacher = making.as(it.clazz.teacher);
    const { title, weekdays, items } = plan;
    const span = { starts_on: addDays(today, -BACK_DAYS), ends_on: addDays(today, AHEAD_DAYS), zone };
    const student_ids = [...it.clazz.students];
    const known = there.find(({ title }) => title === plan.title);
    const { data } =
      known === undefined
        ? await teacher.createJihua({
            body: { title, weekdays, items, ...span, student_ids, backfill_days: BACKFILL_DAYS },
          })
        : await teacher.getJihua({ path: { id: known.id } });
    await checkIn(making, data, plan, it, today);
  }
};
