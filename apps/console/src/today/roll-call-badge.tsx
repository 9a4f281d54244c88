import type { DayLesson } from './today.rules.ts';
import { rollCallOf } from './today.rules.ts';
import { t } from './today-texts.ts';

/** The state of a roll call in words. */
export const RollCallBadge = ({ lesson, now }: { lesson: DayLesson; now: number }) => {
  const { state, marked, expected, present } = rollCallOf(lesson, now);
  switch (state) {
    case 'cancelled':
      return null;
    case 'ahead':
      return <span class="small muted">{t.students(expected)}</span>;
    case 'none':
      return <span class="badge info">{t.notMarked}</span>;
    case 'missing':
      return <span class="badge bad">{t.missing}</span>;
    case 'some':
      return <span class="badge warn">{t.someMarked(marked, expected)}</span>;
    case 'done':
      return <span class="badge good">{t.presentOf(present, expected)}</span>;
    default:
      return state satisfies never;
  }
};
