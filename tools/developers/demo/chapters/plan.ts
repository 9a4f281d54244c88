import { refused, same } from '../expectation.ts';
import type { Stage } from '../scenario-stage.ts';

const DAY_MS = 86_400_000;

/** A plan of days and the student's check-ins on them. */
export const plan = async ({ as, say, chapter, now }: Stage): Promise<void> => {
  chapter('A plan, check-ins and the streak');
  const day = (offset: number): string => new Date(now.getTime() + offset * DAY_MS).toISOString().slice(0, 10);
  const body = {
    title: '每天十个汉字',
    starts_on: day(-3),
    ends_on: day(20),
    zone: 'UTC',
    items: ['Write ten characters', 'Read them aloud'],
    student_ids: ['amina'],
  };
  const jihua_id = (await as.li.createJihua({ body })).data.id;

  say('Yesterday and the day before can still be checked in; earlier days cannot.');
  for (const local_date of [day(-2), day(-1)]) {
    await as.amina.putDaka({ body: { jihua_id, local_date, content: '山 水 火' } });
  }
  await refused(as.amina.putDaka({ body: { jihua_id, local_date: day(-3) } }), 409, 'backfill_closed');

  say('A second check-in on one day changes the first.');
  const today = { jihua_id, local_date: day(0) };
  same('status of the first', (await as.amina.putDaka({ body: { ...today, content: '日' } })).status, 201);
  same('status of the second', (await as.amina.putDaka({ body: { ...today, content: '日 月' } })).status, 200);
  const streak = (await as.amina.getDakaStreak({ query: { jihua_id } })).data;
  same('the streak', streak, { current: 3, longest: 3, rate: 0.75, planned: 4, done: 3 });
};
