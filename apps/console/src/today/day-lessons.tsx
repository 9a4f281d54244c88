import type { ComponentChildren } from 'preact';
import { common } from '../shared/common-texts.ts';
import { substituteFor, useCurrentClazzes } from '../shared/current-clazzes.ts';
import { dayOverText } from '../shared/day-over-text.ts';
import { fromNow, orgZone, time, times } from '../shared/format.ts';
import { Empty } from '../shared/parts/message.tsx';
import { localOf, minutesUntil } from '../shared/zone.rules.ts';
import { RollCallBadge } from './roll-call-badge.tsx';
import { dividedDay, type DayLesson, elapsedShare } from './today.rules.ts';
import { t } from './today-texts.ts';

interface LessonAtTime {
  lesson: DayLesson;
  now: number;
}

const TeacherAndRoom = ({ lesson }: { lesson: DayLesson }) => {
  const { teacher_name, teacher_id, room } = lesson;
  const substituted = substituteFor(lesson, useCurrentClazzes().data.value);
  return (
    <span class="muted">
      {teacher_name ?? teacher_id} · {room ?? t.noRoom}
      {substituted !== undefined && ` · ${common.substituteFor(substituted)}`}
    </span>
  );
};

/** A lesson that is running or next. */
const CurrentLesson = ({ lesson, now }: LessonAtTime) => {
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
          <TeacherAndRoom lesson={lesson} />
        </span>
        <RollCallBadge lesson={lesson} now={now} />
        {isRunning && (
          <progress class="over" aria-hidden="true" value={elapsedShare(lesson.starts_at, lesson.ends_at, now)} />
        )}
      </a>
    </li>
  );
};

/** The link of a lesson: its roll call. Before it begins, or if it is cancelled, the timetable. */
const lessonLink = (lesson: DayLesson, now: number): string =>
  lesson.status === 'cancelled' || Date.parse(lesson.starts_at) > now
    ? `/timetable?date=${localOf(lesson.starts_at, orgZone()).date}&lesson=${lesson.id}`
    : `/roll-call/${lesson.id}`;

/** A lesson in the list of the day. */
const LessonLine = ({ lesson, now }: LessonAtTime) => {
  const isCancelled = lesson.status === 'cancelled';
  return (
    <li class={isCancelled ? 'line off' : 'line'}>
      <a href={lessonLink(lesson, now)}>
        <time class="number" dateTime={lesson.starts_at}>
          {time(lesson.starts_at)}
        </time>
        <span class="what">
          {isCancelled ? <s>{lesson.clazz_name}</s> : <strong>{lesson.clazz_name}</strong>}
          {isCancelled && lesson.cancel_reason !== null ? (
            <span class="muted">{lesson.cancel_reason}</span>
          ) : (
            <TeacherAndRoom lesson={lesson} />
          )}
        </span>
        {isCancelled ? <span class="badge">{common.cancelled}</span> : <RollCallBadge lesson={lesson} now={now} />}
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

const lessonLines = (lessons: readonly DayLesson[], now: number) => (
  <ul class="rows">
    {lessons.map((lesson) => (
      <LessonLine key={lesson.id} lesson={lesson} now={now} />
    ))}
  </ul>
);
const currentLessons = (lessons: readonly DayLesson[], now: number) => (
  <ul class="rows">
    {lessons.map((lesson) => (
      <CurrentLesson key={lesson.id} lesson={lesson} now={now} />
    ))}
  </ul>
);

const noLessons = (date: string) => (
  <div class="card">
    <Empty title={t.noLessons}>
      <span>{t.noLessonsWhy}</span>
      <a class="button" href={`/timetable?date=${date}`}>
        {t.toTimetable}
      </a>
    </Empty>
  </div>
);

interface DayProps {
  date: string;
  lessons: readonly DayLesson[];
  now: number;
}

/** The running and the next lessons. */
export const NowAndNext = ({ date, lessons, now }: DayProps) => {
  if (lessons.length === 0) return noLessons(date);
  const { running, next } = dividedDay(lessons, now);
  return (
    <>
      <Group id="now" title={t.now}>
        {running.length > 0 ? (
          currentLessons(running, now)
        ) : (
          <p class="none muted">{next.length > 0 ? t.noneNow : dayOverText(lessons)}</p>
        )}
      </Group>
      {next.length > 0 && (
        <Group id="next" title={t.next}>
          {currentLessons(next, now)}
        </Group>
      )}
    </>
  );
};

/** The later and the earlier lessons of today. */
export const RestOfDay = ({ lessons, now }: Omit<DayProps, 'date'>) => {
  const { later, earlier } = dividedDay(lessons, now);
  return (
    <>
      {later.length > 0 && (
        <Group id="later" title={t.later}>
          {lessonLines(later, now)}
        </Group>
      )}
      {earlier.length > 0 && (
        <Group id="earlier" title={t.earlier}>
          {lessonLines(earlier, now)}
        </Group>
      )}
    </>
  );
};

/** All lessons of a day other than today. */
export const WholeDay = ({ date, lessons, now }: DayProps) =>
  lessons.length === 0 ? (
    noLessons(date)
  ) : (
    <Group id="now" title={t.wholeDay}>
      {lessonLines(lessons, now)}
    </Group>
  );
