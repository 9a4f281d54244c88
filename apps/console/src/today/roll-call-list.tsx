import { now } from '../shared/clock.ts';
import { dayTime, fromNow } from '../shared/format.ts';
import { Icon } from '../shared/parts/icon.tsx';
import { RollCallBadge } from './roll-call-badge.tsx';
import type { DayLesson } from './today.rules.ts';
import { t } from './today-texts.ts';
import type { Today } from './today.state.ts';
import { DecisionList } from './decision-list.tsx';

/** Lessons that have ended. The roll call of a running lesson is not late. */
export const overdueRollCalls = (items: readonly DayLesson[]): DayLesson[] =>
  items.filter(({ ends_at }) => Date.parse(ends_at) <= now.value);

/** Missing and incomplete roll calls; one tap opens a roll call. */
export const RollCallList = ({ query }: { query: Today['rollCalls'] }) => (
  <DecisionList
    id="roll-calls"
    title={t.rollCalls}
    query={query}
    shown={overdueRollCalls}
    none={t.noRollCalls}
    keyOf={({ id }) => id}
  >
    {(lesson) => (
      <a class="waiting" href={`/roll-call/${lesson.id}`}>
        <div class="what">
          <strong>{lesson.clazz_name}</strong>
          <span class="muted">
            {lesson.teacher_name ?? lesson.teacher_id} · {dayTime(lesson.starts_at)} ·{' '}
            {t.overSince(fromNow(lesson.ends_at, now.value))}
          </span>
        </div>
        <RollCallBadge lesson={lesson} now={now.value} />
        <Icon name="right" size={18} />
      </a>
    )}
  </DecisionList>
);
