import { addDays } from '../../../libs/kit/src/base/time.ts';
import { mondayOf } from './days.rules.ts';
import type { SchoolLesson } from './lessons.ts';
import type { SchoolContext } from './school-context.ts';
import type { Frame, MadeClazz } from './timetable.ts';

const KEY = 'french-a2';
const TOPIC = 'Mock exam';
/** Saturday of next week. */
const DAYS_AFTER_MONDAY = 12;

/** One lesson in an occupied room, which the office accepted. */
export const makeExtraLesson = async (
  { office }: SchoolContext,
  made: readonly MadeClazz[],
  lessons: readonly SchoolLesson[],
  { today, zone }: Frame,
): Promise<void> => {
  const it = made.find(({ clazz }) => clazz.key === KEY);
  if (it === undefined || lessons.some(({ clazz, topic }) => clazz.key === KEY && topic === TOPIC)) return;
  const body = {
    starts_on: addDays(mondayOf(today), DAYS_AFTER_MONDAY),
    start_time: '16:45',
    duration_minutes: 60,
    zone,
    rrule: 'FREQ=WEEKLY;BYDAY=SA',
    count: 1,
    room: 'Room 3',
    topic: TOPIC,
    override: true,
    reason: 'The other class sits in the back of the room that day',
  };
  await office.createLessonSeries({ path: { id: it.id }, body });
};
