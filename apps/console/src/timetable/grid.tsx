import type { QueryState } from '../shared/query.ts';
import { useEffect, useRef } from 'preact/hooks';
import { now } from '../shared/clock.ts';
import { localLongDay, orgZone, time, times, weekdayName } from '../shared/format.ts';
import { localOf, minutesOf, timeOf, weekdayOf } from '../shared/zone.rules.ts';
import { emptyPlace } from './drag-lesson.ts';
import { shownHours, layOutDay, movedTimes, type Piece, type Span, spansOf } from './grid.rules.ts';
import { LessonBlock } from './lesson-block.tsx';
import { lessonCount } from './lesson.rules.ts';
import { lessonMove } from './lesson-move.state.ts';
import type { LessonContext } from './lesson-context.state.ts';
import { t } from './timetable-texts.ts';
import { type Lesson, dialogState, today, type View } from './timetable.state.ts';

type Hours = ReturnType<typeof shownHours>;
type LessonSpan = Span & { it: Lesson };

/** The position and height of a span, in units of the height of an hour. */
const position = ({ from, to }: { from: number; to: number }, hours: Hours) => ({
  top: `calc(${(from - hours.from) / 60} * var(--hour))`,
  height: `calc(${(to - from) / 60} * var(--hour))`,
});

const NowLine = ({ hours }: { hours: Hours }) => {
  const from = minutesOf(localOf(now.value, orgZone()).time);
  if (from < hours.from || from > hours.to) return null;
  return (
    <li
      class="now"
      style={{ top: position({ from, to: from }, hours).top }}
      aria-label={`${t.now} ${time(now.value)}`}
    />
  );
};

/** The target of a lesson that is being moved. */
const MoveTarget = ({ date, hours }: { date: string; hours: Hours }) => {
  const { value } = lessonMove;
  if (value === undefined) return null;
  const at = movedTimes(value.lesson, value.target, orgZone());
  const span = spansOf(at, orgZone()).find((candidate) => candidate.date === date);
  if (span === undefined) return null;
  const { reasons } = value;
  const clashes = reasons !== undefined && reasons.length > 0;
  return (
    <li class={clashes ? 'ghost clash' : 'ghost'} style={position(span, hours)} aria-hidden="true">
      <strong>{times(at.starts_at, at.ends_at)}</strong>
      {clashes ? <span>{reasons[0]}</span> : <span>{value.lesson.clazz_name}</span>}
    </li>
  );
};

interface DayProps {
  date: string;
  pieces: readonly Piece<Lesson>[];
  hours: Hours;
  context: LessonContext;
  view: View;
  week: QueryState<readonly Lesson[]>;
}

const DayColumn = ({ date, pieces, hours, context, view, week }: DayProps) => {
  // A click creates a lesson only if it begins and ends on the empty day. A text selection or a scroll does not
  // count.
  const began = useRef(false);
  return (
    <ol
      class="day"
      data-date={date}
      data-from={hours.from}
      data-to={hours.to}
      aria-label={`${localLongDay(date)}, ${t.lessons(lessonCount(pieces.map(({ it }) => it)))}`}
      onPointerDown={(event) => {
        began.current = event.target === event.currentTarget;
      }}
      onClick={(event) => {
        const target = event.target === event.currentTarget && began.current ? emptyPlace(event, 30) : undefined;
        if (target !== undefined) dialogState.value = { what: 'new', ...target };
      }}
    >
      {pieces.map((piece) => (
        <li key={`${piece.it.id} ${piece.from}`} class="place" style={position(piece, hours)}>
          <LessonBlock
            piece={piece}
            colour={context.colourOf(view.colour === 'class' ? piece.it.clazz_id : piece.it.teacher_id)}
            substituteFor={context.substituteFor(piece.it)}
            conflicts={context.conflictsOf(piece.it)}
            days={view.days}
            week={week}
          />
        </li>
      ))}
      <MoveTarget date={date} hours={hours} />
      {date === today.value && <NowLine hours={hours} />}
    </ol>
  );
};

const Heading = ({ date, count, holiday }: { date: string; count: number; holiday: string | undefined }) => (
  <div class={date === today.value ? 'heading today' : 'heading'} data-date={date}>
    <h2>
      <span>{weekdayName(date)}</span> <b>{Number(date.slice(8))}</b>
    </h2>
    <span class="small muted">{holiday !== undefined ? t.holiday(holiday) : count === 0 ? '–' : t.lessons(count)}</span>
  </div>
);

const widestOf = (pieces: readonly Piece<Lesson>[]): number => Math.max(2, ...pieces.map((piece) => piece.columns));

/** The width of a day's column: more for overlapping lessons, less for an empty weekend day. */
const columnWidth = (date: string, pieces: readonly Piece<Lesson>[], isAlone: boolean): string => {
  const columns = widestOf(pieces);
  if (isAlone) return 'minmax(0, 1fr)';
  if (pieces.length === 0 && weekdayOf(date) > 5) return 'minmax(calc(2 * var(--narrowest)), 0.35fr)';
  return `minmax(calc(${columns} * var(--narrowest)), ${0.4 + 0.3 * columns}fr)`;
};

interface GridProps {
  view: View;
  week: QueryState<readonly Lesson[]>;
  lessons: readonly Lesson[];
  holidays: ReadonlyMap<string, string> | undefined;
  context: LessonContext;
}

/** The grid of days (columns) and hours (rows). */
export const Grid = ({ view, week, lessons, holidays, context }: GridProps) => {
  const zone = orgZone();
  const spans: LessonSpan[] = lessons.flatMap((lesson) =>
    spansOf(lesson, zone).map((span) => ({ ...span, it: lesson })),
  );
  const shown = view.days.map((date) => ({ date, pieces: layOutDay(spans.filter((span) => span.date === date)) }));
  const { value } = lessonMove;
  const moveSpans = value?.by === 'keys' ? spansOf(movedTimes(value.lesson, value.target, zone), zone) : [];
  const hours = shownHours([...spans, ...moveSpans].filter(({ date }) => view.week.includes(date)));
  const hourMarks = Array.from({ length: (hours.to - hours.from) / 60 }, (_none, at) => hours.from + at * 60);
  const totalColumns = shown.reduce((sum, { pieces }) => sum + widestOf(pieces), 0);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.querySelector('.now')?.scrollIntoView({ block: 'center' });
    scrollTo(0, 0);
  }, []);
  const columnWidths = shown.map(({ date, pieces }) => columnWidth(date, pieces, shown.length === 1));
  return (
    <div
      class={value === undefined ? 'scroller' : 'scroller moving'}
      ref={box}
      role="region"
      aria-label={t.title}
      tabIndex={0}
    >
      <div
        class={view.isDay ? 'grid one' : 'grid'}
        style={{
          gridTemplateColumns: `var(--gutter) ${columnWidths.join(' ')}`,
          minWidth: `calc(var(--gutter) + ${totalColumns} * var(--narrowest))`,
          '--hours': String(hourMarks.length),
        }}
      >
        <div class="corner" />
        {shown.map(({ date, pieces }) => (
          <Heading
            key={date}
            date={date}
            count={lessonCount(pieces.map(({ it }) => it))}
            holiday={holidays?.get(date)}
          />
        ))}
        <div class="hours" aria-hidden="true">
          {hourMarks.map((mark) => (
            <span key={mark}>{timeOf(mark)}</span>
          ))}
        </div>
        {shown.map(({ date, pieces }) => (
          <DayColumn key={date} {...{ date, pieces, hours, context, view, week }} />
        ))}
      </div>
    </div>
  );
};
