import type { ComponentChildren } from 'preact';
import { common } from '../shared/common-texts.ts';
import { fromNow, orgZone, time, times } from '../shared/format.ts';
import { Empty } from '../shared/parts/message.tsx';
import { localOf, minutesUntil } from '../shared/zone.rules.ts';
import { RollCallBadge } from './roll-call-badge.tsx';
import { dayAround, type DayLesson, shareOver } from './today.rules.ts';
import { t } from './today-texts.ts';

interface At {
  lesson: DayLesson;
  now: number;
}

const where = ({ teacher_name, teacher_id, room }: DayLesson) => (
  <span class="muted">
    {teacher_name ?? teacher_id} · {room ?? t.noRoom}
  </span>
);

/** A lesson that runs or comes next. */
const Near = ({ lesson, now }: At) => {
  const isRunning = Date.parse(lesson.starts_at) <= now;
  return (
    <li class={isRunning ? 'near running' : 'near'}>
      <a href={`/roll-call/${lesson.id}`}>
        <span class="clock number">
          <strong>{times(lesson.starts_at, lesson.ends_at)}</strong>
          <span class="muted">
            {isRunning ? t.minutesLeft(minutesUntil(now, lesson.ends_at)) : fromNow(lesson.starts_at, now)}
          </span>
        </span>
        <span class="what">
          <strong>{lesson.clazz_name}</strong>
          {where(lesson)}
        </span>
        <RollCallBadge lesson={lesson} now={now} />
        {isRunning && (
          <progress class="over" aria-hidden="true" value={shareOver(lesson.starts_at, lesson.ends_at, now)} />
        )}
      </a>
    </li>
  );
};

/** Where something can be done about it: its roll call; before that and for a cancelled one, the timetable. */
const placeOf = (lesson: DayLesson, now: number): string =>
  lesson.status === 'cancelled' || Date.parse(lesson.starts_at) > now
    ? `/timetable?date=${localOf(lesson.starts_at, orgZone()).date}&lesson=${lesson.id}`
    : `/roll-call/${lesson.id}`;

/** A lesson in the list of the day. */
const Line = ({ lesson, now }: At) => {
  const isOff = lesson.status === 'cancelled';
  return (
    <li class={isOff ? 'line off' : 'line'}>
      <a href={placeOf(lesson, now)}>
        <time class="number" dateTime={lesson.starts_at}>
          {time(lesson.starts_at)}
        </time>
        <span class="what">
          {isOff ? <s>{lesson.clazz_name}</s> : <strong>{lesson.clazz_name}</strong>}
          {isOff && lesson.cancel_reason !== null ? <span class="muted">{lesson.cancel_reason}</span> : where(lesson)}
        </span>
        {isOff ? <span class="badge">{common.cancelled}</span> : <RollCallBadge lesson={lesson} now={now} />}
      </a>
    </li>
  );
};

const Group = ({ id, title, children }: { id: string; title: string; children: ComponentChildren }) => (
  <section class="card lessons" aria-labelledby={id}>
    <header>
      <h2 id={id} tabIndex={-1}>
        {title}
      </h2>
    </header>
    {children}
  </section>
);

const lines = (lessons: readonly DayLesson[], now: number) => (
  <ul class="rows">
    {lessons.map((lesson) => (
      <Line key={lesson.id} lesson={lesson} now={now} />
    ))}
  </ul>
);
const nears = (lessons: readonly DayLesson[], now: number) => (
  <ul class="rows">
    {lessons.map((lesson) => (
      <Near key={lesson.id} lesson={lesson} now={now} />
    ))}
  </ul>
);

const none = (date: string) => (
  <div class="card">
    <Empty title={t.noLessons}>
      <span>{t.noLessonsWhy}</span>
      <a class="button" href={`/timetable?date=${date}`}>
        {t.toTimetable}
      </a>
    </Empty>
  </div>
);

interface OfDay {
  date: string;
  lessons: readonly DayLesson[];
  now: number;
}

/** What runs now and what comes next. */
export const NowAndNext = ({ date, lessons, now }: OfDay) => {
  if (lessons.length === 0) return none(date);
  const { running, next } = dayAround(lessons, now);
  return (
    <>
      <Group id="now" title={t.now}>
        {running.length > 0 ? nears(running, now) : <p class="none muted">{next.length > 0 ? t.noneNow : t.dayOver}</p>}
      </Group>
      {next.length > 0 && (
        <Group id="next" title={t.next}>
          {nears(next, now)}
        </Group>
      )}
    </>
  );
};

/** The rest of today: what comes later, and what is over. */
export const RestOfDay = ({ lessons, now }: Omit<OfDay, 'date'>) => {
  const { later, earlier } = dayAround(lessons, now);
  return (
    <>
      {later.length > 0 && (
        <Group id="later" title={t.later}>
          {lines(later, now)}
        </Group>
      )}
      {earlier.length > 0 && (
        <Group id="earlier" title={t.earlier}>
          {lines(earlier, now)}
        </Group>
      )}
    </>
  );
};

/** All lessons of another day. */
export const WholeDay = ({ date, lessons, now }: OfDay) =>
  lessons.length === 0 ? (
    none(date)
  ) : (
    <Group id="now" title={t.wholeDay}>
      {lines(lessons, now)}
    </Group>
  );
