import { useState } from 'preact/hooks';
import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import * as format from '../shared/format.ts';
import { Icon } from '../shared/parts/icon.tsx';
import { minutesUntil } from '../shared/zone.rules.ts';
import { t } from './week-texts.ts';
import { Topic, TopicForm } from './topic-form.tsx';
import { isRecentChange, type OwnLesson, rollCallStateOf } from './week.rules.ts';

const isCancelled = ({ status }: OwnLesson): boolean => status === 'cancelled';

const partWord = ({ part }: OwnLesson): string | null => {
  switch (part.as) {
    case 'lead':
      return null;
    case 'substitute':
      return part.of === null ? t.substitute : t.substituteFor(part.of);
    case 'assistant':
      return t.assistant(part.of ?? common.notListed);
    default:
      return part satisfies never;
  }
};

/** What is not as usual: whose lesson it is, what changed lately, that it is cancelled. */
const Signs = ({ lesson, moved }: { lesson: OwnLesson; moved: string | undefined }) => {
  const part = partWord(lesson);
  const isMoved = moved !== undefined && moved !== lesson.starts_at;
  return (
    <>
      {isCancelled(lesson) && (
        <span class="badge bad">
          {lesson.cancel_reason === null ? common.cancelled : t.cancelledWhy(lesson.cancel_reason)}
        </span>
      )}
      {part !== null && <span class="badge accent">{part}</span>}
      {isMoved && <span class="badge warn">{t.movedFrom(format.dayTime(moved))}</span>}
      {!isMoved && !isCancelled(lesson) && lesson.status === 'scheduled' && isRecentChange(lesson, now.value) && (
        <span class="badge">{t.changed}</span>
      )}
    </>
  );
};

const Attendance = ({ lesson }: { lesson: OwnLesson }) => {
  const { marks } = lesson;
  switch (rollCallStateOf(lesson, now.value)) {
    case 'none':
    case 'due':
      return null;
    case 'missing':
      return <span class="badge warn">{t.isMissing}</span>;
    case 'incomplete':
      return <span class="badge warn">{t.incomplete(marks?.unmarked ?? 0)}</span>;
    case 'done': {
      if (marks === null) return <span class="badge good">{t.doneAlone}</span>;
      const here = marks.present + marks.late + marks.makeup + marks.trial;
      return <span class="badge good">{t.done(here, here + marks.absent + marks.leave)}</span>;
    }
  }
};

/** Later ones have no roll call that could be taken soon. */
const SOON_MS = 3_600_000;

/** The way to the roll call; before the lesson it shows who comes. */
const ToRollCall = ({ lesson, isMain }: { lesson: OwnLesson; isMain: boolean }) => {
  if (isCancelled(lesson)) return null;
  const standing = rollCallStateOf(lesson, now.value);
  const isFarOff = standing === 'none' && Date.parse(lesson.starts_at) - now.value > SOON_MS;
  const word = standing === 'done' ? t.look : isFarOff ? t.whoComes : t.rollCall;
  return (
    <a
      class={isMain ? 'button main' : 'button'}
      href={`/roll-call/${lesson.id}`}
      aria-label={t.rollCallOf(word, lesson.clazz_name, format.dayTime(lesson.starts_at))}
    >
      {isMain && <Icon name="check" />}
      {word}
    </a>
  );
};

/** One lesson of a day; `big` where it is now or next. */
export const WeekLesson = ({
  lesson,
  moved,
  big,
}: {
  lesson: OwnLesson;
  moved: string | undefined;
  big?: 'now' | 'next';
}) => {
  const [isEditing, setEditing] = useState(false);
  const standing = rollCallStateOf(lesson, now.value);
  const left = minutesUntil(now.value, lesson.ends_at);
  return (
    <li class={`lesson ${isCancelled(lesson) ? 'cancelled' : ''} ${big ?? ''}`} data-lesson={lesson.id}>
      <div class="when number">
        <time dateTime={lesson.starts_at}>{format.time(lesson.starts_at)}</time>
        <span>{format.time(lesson.ends_at)}</span>
      </div>
      <div class="what">
        {big !== undefined && (
          <p class="big-word">
            {big === 'now'
              ? `${t.now} · ${t.until(left)}`
              : `${t.soon} · ${format.fromNow(lesson.starts_at, now.value)}`}
          </p>
        )}
        <h3>{lesson.clazz_name}</h3>
        <div class="facts">
          {lesson.room !== null && <span>{lesson.room}</span>}
          {lesson.students !== null && <span>{t.students(lesson.students)}</span>}
          <Signs lesson={lesson} moved={moved} />
          <Attendance lesson={lesson} />
        </div>
        {isEditing ? (
          <TopicForm lesson={lesson} onClose={() => setEditing(false)} />
        ) : (
          !isCancelled(lesson) && <Topic lesson={lesson} onEdit={() => setEditing(true)} />
        )}
      </div>
      <ToRollCall lesson={lesson} isMain={big === 'now' || standing === 'missing' || standing === 'incomplete'} />
    </li>
  );
};
