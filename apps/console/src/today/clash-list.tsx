import type { ClashingLesson } from '@teaching/contracts';
import { dayTime, localDay, orgZone, times } from '../shared/format.ts';
import { Icon } from '../shared/parts/icon.tsx';
import { addDays, localOf } from '../shared/zone.rules.ts';
import { uniqueClashes } from './today.rules.ts';
import { t } from './today-texts.ts';
import { CLASH_DAYS, type DayChoice, type Today } from './today.state.ts';
import { DecisionList } from './decision-list.tsx';

type Conflict = ClashingLesson['conflicts'][number];

const clashText = ({ teacher_id, teacher_name, room }: Conflict): string =>
  [
    ...(teacher_id === null ? [] : [t.sameTeacher(teacher_name ?? teacher_id)]),
    ...(room === null ? [] : [t.sameRoom(room)]),
  ].join(' · ');

/** Lessons with an accepted clash. Each links to the timetable of its day, where it can be moved. */
export const ClashList = ({ query, chosen }: { query: Today['clashes']; chosen: DayChoice }) => (
  <DecisionList
    id="clashes"
    title={t.clashes}
    query={query}
    shown={uniqueClashes}
    none={t.noClashes(localDay(chosen.date), localDay(addDays(chosen.date, CLASH_DAYS - 1)))}
    keyOf={({ id }) => id}
  >
    {(lesson) => (
      <a class="waiting" href={`/timetable?date=${localOf(lesson.starts_at, orgZone()).date}&lesson=${lesson.id}`}>
        <div class="what">
          <strong>{lesson.clazz_name}</strong>
          <span class="muted">{dayTime(lesson.starts_at)}</span>
          {lesson.conflicts.map((conflict) => (
            <span key={conflict.lesson_id}>
              {conflict.clazz_name} · {times(conflict.starts_at, conflict.ends_at)}
              <span class="muted"> · {clashText(conflict)}</span>
            </span>
          ))}
        </div>
        <Icon name="right" size={18} />
      </a>
    )}
  </DecisionList>
);
