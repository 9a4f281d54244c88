import type { Conflict } from '@teaching/contracts';
import type { QueryState } from '../shared/query.ts';
import { useComputed } from '@preact/signals';
import { useAddress } from '../shared/address.ts';
import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import { longDay, time, times } from '../shared/format.ts';
import { Icon } from '../shared/parts/icon.tsx';
import { type Colour, tinted } from './colours.rules.ts';
import { textsOfConflicts } from './check-lesson.ts';
import { dragLesson, FINE_STEP_MINUTES, STEP_MINUTES, startKeyboardMove } from './drag-lesson.ts';
import { type Piece, targetAfterKey } from './grid.rules.ts';
import { placesOf, type RollCall, rollCallOf } from './lesson.rules.ts';
import { saveMove, cancelMove, moveTo, lessonMove } from './lesson-move.state.ts';
import { t } from './timetable-texts.ts';
import type { Lesson } from './timetable.state.ts';

const rollCallText = (state: RollCall): string => t[state];

export const teacherOf = ({ teacher_name }: Lesson): string => teacher_name ?? common.notListed;

/** The content of a lesson block in words, for the tooltip and screen readers. */
const lessonDescription = (
  { lesson, substituteFor, conflicts }: Pick<LessonBlockProps, 'substituteFor' | 'conflicts'> & { lesson: Lesson },
  at: number,
): string[] => {
  const { taken, of, isFull } = placesOf(lesson);
  const rollCall = rollCallOf(lesson, at);
  return [
    lesson.clazz_name,
    t.dayAndTimes(longDay(lesson.starts_at), times(lesson.starts_at, lesson.ends_at)),
    teacherOf(lesson),
    ...(substituteFor === undefined ? [] : [common.substituteFor(substituteFor)]),
    ...(lesson.room === null ? [] : [lesson.room]),
    ...(lesson.status === 'cancelled' ? [common.cancelled] : []),
    of === null ? t.taken(taken) : t.places(taken, of),
    ...(isFull ? [t.full] : []),
    ...(rollCall === undefined ? [] : [rollCallText(rollCall)]),
    ...(conflicts.length === 0 ? [] : [t.conflictWith(textsOfConflicts(conflicts))]),
  ];
};

interface SignsProps {
  lesson: Lesson;
  isSubstituted: boolean;
  hasConflict: boolean;
}

const Signs = ({ lesson, isSubstituted, hasConflict }: SignsProps) => {
  const { taken, of, isFull } = placesOf(lesson);
  const rollCall = useComputed(() => rollCallOf(lesson, now.value)).value;
  return (
    <span class="signs" aria-hidden="true">
      {hasConflict && <span class="sign conflict">!</span>}
      {isSubstituted && (
        <span class="sign substitute">
          <Icon name="swap" size={12} />
        </span>
      )}
      {rollCall !== undefined && (
        <span class={`sign ${rollCall}`}>
          {rollCall === 'incomplete' ? '½' : <Icon name={rollCall === 'done' ? 'check' : 'warning'} size={12} />}
        </span>
      )}
      {lesson.status !== 'cancelled' && (
        <span class={isFull ? 'places full' : 'places'}>{of === null ? taken : `${taken}/${of}`}</span>
      )}
    </span>
  );
};

interface LessonBlockProps {
  piece: Piece<Lesson>;
  colour: Colour;
  /** The lead teacher, if a substitute gives the lesson. */
  substituteFor: string | undefined;
  /** The accepted conflicts of the lesson. */
  conflicts: readonly Conflict[];
  days: readonly string[];
  week: QueryState<readonly Lesson[]>;
}

/** A lesson on the grid. A click opens it; the key M starts a move by arrow keys. */
export const LessonBlock = ({ piece, colour, substituteFor, conflicts, days, week }: LessonBlockProps) => {
  const { put } = useAddress();
  const tint = tinted(colour);
  const { it: lesson, from, date, column, columns, columnSpan } = piece;
  const description = lessonDescription({ lesson, substituteFor, conflicts }, now.value);
  const isMoving = lessonMove.value?.lesson.id === lesson.id;
  const at = { date, minutes: from };
  const keys = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey) return;
    if (!isMoving) {
      if (event.key === 'm' || event.key === 'M') startKeyboardMove(lesson, at);
      return;
    }
    if (event.key === 'Enter' || event.key === 'Escape') {
      event.preventDefault();
      if (event.key === 'Enter') void saveMove(week);
      else cancelMove();
      return;
    }
    const step = event.shiftKey ? FINE_STEP_MINUTES : STEP_MINUTES;
    const target = lessonMove.value && targetAfterKey(lessonMove.value.target, event.key, step, days);
    if (target === undefined) return;
    event.preventDefault();
    moveTo(lesson, target, 'keys');
  };
  return (
    <button
      type="button"
      class={`lesson ${tint.class} ${lesson.status}${isMoving ? ' taken' : ''}`}
      data-lesson={lesson.id}
      title={lessonMove.value === undefined ? description.join('\n') : undefined}
      {...(lesson.status === 'scheduled' ? { 'aria-keyshortcuts': 'M' } : {})}
      style={{ ...tint.style, left: `${(column / columns) * 100}%`, width: `${(columnSpan / columns) * 100}%` }}
      onPointerDown={(event) => dragLesson(event, lesson, at, week)}
      onKeyDown={keys}
      onBlur={() => {
        if (isMoving && lessonMove.value?.by === 'keys') cancelMove();
      }}
      onClick={() => {
        if (!isMoving) put({ lesson: lesson.id });
      }}
    >
      <span class="visually-hidden">{description.join(t.comma)}</span>
      <span class="text" aria-hidden="true">
        <strong>{lesson.clazz_name}</strong>
        <span class="when">
          {time(lesson.starts_at)}
          <span class="until">–{time(lesson.ends_at)}</span>
        </span>
        <span class="where">{[lesson.room, teacherOf(lesson)].filter((text) => text !== null).join(' · ')}</span>
      </span>
      <Signs lesson={lesson} isSubstituted={substituteFor !== undefined} hasConflict={conflicts.length > 0} />
    </button>
  );
};
