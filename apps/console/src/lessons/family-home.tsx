import { useAddress } from '../shared/address.ts';
import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import { localDay, localLongDay, orgZone } from '../shared/format.ts';
import { QueryView } from '../shared/parts/query-view.tsx';
import { Empty, Failure, Skeleton } from '../shared/parts/message.tsx';
import { Segments } from '../shared/parts/segments.tsx';
import { useAllLoaded } from '../shared/use-all-loaded.ts';
import { addDays } from '../shared/zone.rules.ts';
import { ActionButton } from '../shared/parts/action-button.tsx';
import { CheckInLink, Overview, ToDo } from './sidebar.tsx';
import type { Child } from './child.rules.ts';
import { byDay, isOver } from './lesson-days.rules.ts';
import { type ShownLessons, todayOf, useLessons } from './family-lessons.state.ts';
import { LessonRow } from './lesson-row.tsx';
import { t } from './family-texts.ts';
import { useToDo } from './to-do.state.ts';

const dayTitle = (date: string, today: string): string => {
  const relativeName = new Map([
    [today, common.today],
    [addDays(today, 1), t.tomorrow],
    [addDays(today, -1), t.yesterday],
  ]).get(date);
  return relativeName === undefined ? localLongDay(date) : t.pair(relativeName, localLongDay(date));
};

const DayList = ({ span, isPast, isNamed }: { span: ShownLessons; isPast: boolean; isNamed: boolean }) => {
  const today = todayOf(orgZone());
  const lessons = span.lessons.filter(({ lesson }) => isOver(lesson, now.value) === isPast);
  if (lessons.length === 0)
    return <Empty title={isPast ? t.nonePast : t.noneComing}>{!isPast && t.noneComingWhy}</Empty>;
  return (
    <>
      {byDay(lessons, orgZone(), isPast).map(([date, lessonsOfDay]) => (
        <section class="day" key={date} aria-labelledby={`day-${date}`}>
          <h2 id={`day-${date}`} class={date === today ? 'today' : ''}>
            {dayTitle(date, today)}
          </h2>
          <ul class="card">
            {lessonsOfDay.map((item) => (
              <LessonRow key={`${item.child.id} ${item.lesson.id}`} childLesson={item} isNamed={isNamed} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
};

/** The lessons day by day, with open tasks and the balance beside them. */
export const FamilyHome = ({ children }: { children: readonly Child[] }) => {
  const { query, put } = useAddress();
  const isPast = query['when'] === 'past';
  const todo = useToDo(children);
  const isShown = useAllLoaded([todo, useLessons(children, isPast).query]);
  if (!isShown) return <Skeleton rows={9} />;
  return (
    <div class="lessons-home">
      {todo.data.value && <CheckInLink all={todo.data.value} />}
      <div class="days">
        <Segments
          label={t.which}
          value={isPast ? 'past' : 'coming'}
          options={[
            ['coming', t.coming],
            ['past', t.past],
          ]}
          onChange={(value) => put({ when: value === 'past' ? 'past' : null })}
        />
        <LessonList key={isPast ? 'past' : 'coming'} children={children} isPast={isPast} />
      </div>
      {todo.data.value && <ToDo all={todo.data.value} />}
      {todo.data.value === undefined && todo.error.value !== undefined && (
        <Failure error={todo.error.value} retry={todo.refetch} />
      )}
      <Overview children={children} />
    </div>
  );
};

const LessonList = ({ children, isPast }: { children: readonly Child[]; isPast: boolean }) => {
  const { query, showMore } = useLessons(children, isPast);
  return (
    <QueryView query={query} rows={9}>
      {(span) => (
        <>
          <DayList span={span} isPast={isPast} isNamed={children.length > 1} />
          <footer class="span">
            <span class="muted small">{isPast ? t.since(localDay(span.first)) : t.until(localDay(span.last))}</span>
            <ActionButton run={showMore}>{common.more}</ActionButton>
          </footer>
        </>
      )}
    </QueryView>
  );
};
