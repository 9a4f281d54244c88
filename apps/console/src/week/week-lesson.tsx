import { useAddress } from '../shared/address.ts';
import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import * as format from '../shared/format.ts';
import { Icon } from '../shared/parts/icon.tsx';
import { useOpenState } from '../shared/open-state.ts';
import { minutesUntil } from '../shared/zone.rules.ts';
import { t } from './week-texts.ts';
import { Topic, TopicForm } from './topic-form.tsx';
import {
  type FormerPlan,
  formerTimesOf,
  isGiven,
  isRecentChange,
  type OwnLesson,
  rollCallAddress,
  rollCallStateOf,
} from './week.rules.ts';

const isCancelled = ({ status }: OwnLesson): boolean => status === 'cancelled';

const partText = ({ part, ends_at }: OwnLesson): string | null => {
  switch (part.as) {
    case 'lead':
      return null;
    case 'substitute':
      return part.of === null ? t.substitute : t.substituteFor(part.of);
    case 'assistant':
      return part.lead === undefined
        ? t.assistant(part.of ?? common.notListed)
        : t.assistantOfSubstitute(part.of ?? common.notListed, part.lead ?? common.notListed);
    case 'given':
      // The class may have had another lead teacher at that time.
      return (Date.parse(ends_at) <= now.value ? t.givenBy : t.givenTo)(part.to ?? common.notListed);
    default:
      return part satisfies never;
  }
};

/** The former times of a lesson that was moved, or whose length changed. */
const FormerTimes = ({ lesson, former }: { lesson: OwnLesson; former: FormerPlan }) => {
  const found = formerTimesOf(lesson, former);
  if (found === undefined) return null;
  const { starts_at, ends_at, isMoved, isLengthChanged } = found;
  const times = format.times(starts_at, ends_at);
  if (!isMoved) return <span class="badge warn">{t.timesWere(times)}</span>;
  const when = isLengthChanged ? t.dayAndTimes(format.day(starts_at), times) : format.dayTime(starts_at);
  return <span class="badge warn">{t.movedFrom(when)}</span>;
};

/** Whether only this is known: it changed. A substitute cannot read more; the lesson may only be new to them. */
const isChangedSomehow = (lesson: OwnLesson, former: FormerPlan | undefined): boolean =>
  former === undefined &&
  lesson.status === 'scheduled' &&
  lesson.part.as !== 'substitute' &&
  isRecentChange(lesson, now.value);

/** Badges for a cancelled lesson, a substitute or assistant, and a recent change. */
const Signs = ({ lesson, former }: { lesson: OwnLesson; former: FormerPlan | undefined }) => {
  const part = partText(lesson);
  const { room = lesson.room } = former ?? {};
  return (
    <>
      {isCancelled(lesson) && (
        <span class="badge bad">
          {lesson.cancel_reason === null ? common.cancelled : t.cancelledWhy(lesson.cancel_reason)}
        </span>
      )}
      {part !== null && <span class="badge accent">{part}</span>}
      {former !== undefined && <FormerTimes lesson={lesson} former={former} />}
      {room !== lesson.room && <span class="badge warn">{room === null ? t.roomNew : t.roomWas(room)}</span>}
      {isChangedSomehow(lesson, former) && <span class="badge">{t.changed}</span>}
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

/** Lessons that begin later than this have no roll call soon. */
const ROLL_CALL_SOON_MS = 3_600_000;

/** The link to the roll call. Before the lesson it shows the students. */
const RollCallLink = ({ lesson, isMain }: { lesson: OwnLesson; isMain: boolean }) => {
  const { query } = useAddress();
  if (isCancelled(lesson)) return null;
  const rollCallState = rollCallStateOf(lesson, now.value);
  const isFarOff = rollCallState === 'none' && Date.parse(lesson.starts_at) - now.value > ROLL_CALL_SOON_MS;
  const isLookedAt = rollCallState === 'done' || (isGiven(lesson) && rollCallState !== 'none');
  const linkText = isLookedAt ? t.look : isFarOff ? t.whoComes : t.rollCall;
  return (
    <a
      class={isMain ? 'button main' : 'button'}
      href={rollCallAddress(lesson.id, query['date'])}
      aria-label={t.rollCallOf(linkText, lesson.clazz_name, format.dayTime(lesson.starts_at))}
    >
      {isMain && <Icon name="check" />}
      {linkText}
    </a>
  );
};

/** One lesson of a day; `big` for the current and the next one. */
export const WeekLesson = ({
  lesson,
  former,
  big,
}: {
  lesson: OwnLesson;
  former: FormerPlan | undefined;
  big?: 'now' | 'next';
}) => {
  const [isEditing, setEditing] = useOpenState(`topic ${lesson.id}`, false);
  const rollCallState = rollCallStateOf(lesson, now.value);
  const left = minutesUntil(now.value, lesson.ends_at);
  return (
    <li
      class={`lesson ${isCancelled(lesson) ? 'cancelled' : ''} ${isGiven(lesson) ? 'given' : ''} ${big ?? ''}`}
      data-lesson={lesson.id}
    >
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
          <Signs lesson={lesson} former={former} />
          {!isGiven(lesson) && <Attendance lesson={lesson} />}
        </div>
        {isEditing ? (
          <TopicForm lesson={lesson} onClose={() => setEditing(false)} />
        ) : (
          !isCancelled(lesson) && !isGiven(lesson) && <Topic lesson={lesson} onEdit={() => setEditing(true)} />
        )}
      </div>
      <RollCallLink
        lesson={lesson}
        isMain={!isGiven(lesson) && (big === 'now' || rollCallState === 'missing' || rollCallState === 'incomplete')}
      />
    </li>
  );
};
