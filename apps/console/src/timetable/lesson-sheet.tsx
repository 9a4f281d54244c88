import { common } from '../shared/common-texts.ts';
import { now } from '../shared/clock.ts';
import { hours, longDay, times } from '../shared/format.ts';
import type { Conflict } from '@teaching/contracts';
import { LESSON_TEXTS, keysOf } from '../shared/lesson-texts.ts';
import { Dialog } from '../shared/parts/dialog.tsx';
import { ConflictList } from './clash-message.tsx';
import { teacherOf } from './lesson-block.tsx';
import { placesOf, rollCallOf } from './lesson.rules.ts';
import { t } from './timetable-texts.ts';
import { type Lesson, dialogState } from './timetable.state.ts';

const TONES = { missing: 'bad', incomplete: 'warn', done: 'good' } as const;

const Facts = ({ lesson, substituteFor }: { lesson: Lesson; substituteFor: string | undefined }) => {
  const { taken, of, isFull } = placesOf(lesson);
  const rollCall = rollCallOf(lesson, now.value);
  const facts: [string, string | null][] = [
    [common.teacher, teacherOf(lesson)],
    [common.room, lesson.room],
    [t.hoursWorth, hours(lesson.hours)],
    ...keysOf(LESSON_TEXTS).map((name): [string, string | null] => [t[name], lesson[name]]),
  ];
  return (
    <>
      <p class="badges">
        {lesson.status === 'cancelled' && <span class="badge bad">{common.cancelled}</span>}
        {lesson.status === 'held' && <span class="badge good">{t.held}</span>}
        {rollCall !== undefined && <span class={`badge ${TONES[rollCall]}`}>{t[rollCall]}</span>}
        <span class={isFull ? 'badge warn' : 'badge'}>
          {of === null ? t.taken(taken) : t.places(taken, of)}
          {isFull && ` · ${t.full}`}
        </span>
        {substituteFor !== undefined && <span class="badge accent">{common.substituteFor(substituteFor)}</span>}
        {lesson.series_id !== null && <span class="badge">{t.series}</span>}
      </p>
      {lesson.cancel_reason !== null && <p>{t.whyCancelled(lesson.cancel_reason)}</p>}
      <dl class="facts">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </>
  );
};

/** One lesson with its details and actions. */
export const LessonSheet = ({
  lesson,
  substituteFor,
  conflicts,
  onClose,
}: {
  lesson: Lesson;
  /** The lead teacher, if a substitute gives the lesson. */
  substituteFor: string | undefined;
  /** The accepted conflicts of the lesson. */
  conflicts: readonly Conflict[];
  onClose: () => void;
}) => {
  const openDialog = (what: 'edit' | 'cancel' | 'restore' | 'substitute') => () => {
    dialogState.value = { what, lesson };
    onClose();
  };
  const isCancelled = lesson.status === 'cancelled';
  const hasBegun = Date.parse(lesson.starts_at) <= now.value;
  return (
    <Dialog
      title={lesson.clazz_name}
      onClose={onClose}
      footer={
        isCancelled ? (
          <button type="button" class="button main" onClick={openDialog('restore')}>
            {t.restore}
          </button>
        ) : (
          <>
            <button type="button" class="button danger" onClick={openDialog('cancel')}>
              {t.cancelIt}
            </button>
            {lesson.status === 'scheduled' && (
              <button type="button" class="button" onClick={openDialog('substitute')}>
                {t.substitute}
              </button>
            )}
            {hasBegun && (
              <a class="button" href={`/roll-call/${lesson.id}`}>
                {t.rollCall}
              </a>
            )}
            <button type="button" class="button main" onClick={openDialog('edit')}>
              {t.edit}
            </button>
          </>
        )
      }
    >
      <div class="body lesson-sheet">
        <p class="when">{t.dayAndTimes(longDay(lesson.starts_at), times(lesson.starts_at, lesson.ends_at))}</p>
        {conflicts.length > 0 && (
          <div class="clash bad">
            <h3>{t.accepted}</h3>
            <ConflictList conflicts={conflicts} />
          </div>
        )}
        <Facts lesson={lesson} substituteFor={substituteFor} />
      </div>
    </Dialog>
  );
};
