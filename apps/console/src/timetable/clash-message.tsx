import type { Conflict } from '@teaching/contracts';
import { common } from '../shared/common-texts.ts';
import { day, dayTime, list, localDay, orgZone, times } from '../shared/format.ts';
import { Failure } from '../shared/parts/message.tsx';
import { conflictTextOf } from './check-lesson.ts';
import type { Draft } from './draft.rules.ts';
import type { CheckState } from './lesson-form.state.ts';
import { localOf } from '../shared/zone.rules.ts';
import { t } from './timetable-texts.ts';
import type { Check, Preview } from './timetable.state.ts';

export const ConflictList = ({ conflicts }: { conflicts: readonly Conflict[] }) => (
  <ul class="conflicts">
    {conflicts.map((conflict) => (
      <li key={conflict.lesson_id}>
        <strong>{conflict.clazz_name}</strong>{' '}
        <span class="muted">{t.dayAndTimes(day(conflict.starts_at), times(conflict.starts_at, conflict.ends_at))}</span>
        <div class="small">{list(conflictTextOf(conflict))}</div>
      </li>
    ))}
  </ul>
);

interface SuggestionsProps {
  check: Check;
  rooms: readonly string[];
  onPick: (part: Partial<Draft>) => void;
}

const MAX_SHOWN = 4;

/** Suggestions for another time, teacher or room; one tap applies one. */
const Suggestions = ({ check, rooms, onPick }: SuggestionsProps) => {
  const isRoom = check.too_small !== null || check.conflicts.some(({ room }) => room !== null);
  const isTeacher = check.conflicts.some(({ teacher_id }) => teacher_id !== null);
  return (
    <div class="ways">
      <span class="small muted">{t.wayOut}</span>
      {check.free_times.map(({ starts_at }) => (
        <button key={starts_at} type="button" class="chip" onClick={() => onPick(localOf(starts_at, orgZone()))}>
          {dayTime(starts_at)}
        </button>
      ))}
      {isTeacher &&
        check.free_teachers.slice(0, MAX_SHOWN).map(({ teacher_id: id, teacher_name }) => {
          const name = teacher_name ?? common.notListed;
          return (
            <button key={id} type="button" class="chip" onClick={() => onPick({ teacher: { id, name } })}>
              {name}
            </button>
          );
        })}
      {isRoom &&
        rooms.slice(0, MAX_SHOWN).map((room) => (
          <button key={room} type="button" class="chip" onClick={() => onPick({ room })}>
            {room}
          </button>
        ))}
      {isTeacher && check.free_teachers.length === 0 && <span class="small">{t.noneFree}</span>}
    </div>
  );
};

const SingleLessonResult = ({ check, rooms, onPick }: SuggestionsProps) => {
  const { conflicts, accepted, too_small, holiday } = check;
  const isFine = conflicts.length === 0 && too_small === null;
  return (
    <>
      {holiday !== null && <p class="warned">{t.holiday(holiday)}</p>}
      {isFine ? (
        accepted.length === 0 && <p class="muted">{t.noClash}</p>
      ) : (
        <>
          <h3>{t.clashes}</h3>
          {too_small !== null && <p>{t.tooSmall(too_small.room, too_small.capacity, too_small.taken)}</p>}
          <ConflictList conflicts={conflicts} />
          <Suggestions {...{ check, rooms, onPick }} />
        </>
      )}
      {accepted.length > 0 && (
        <>
          <h3>{t.accepted}</h3>
          <ConflictList conflicts={accepted} />
        </>
      )}
    </>
  );
};

const SeriesResult = ({ preview: { occurrences, skipped, too_small } }: { preview: Preview }) => {
  const clashing = occurrences.filter(({ conflicts }) => conflicts.length > 0);
  return (
    <>
      <p>
        {t.seriesOf(occurrences.length)}{' '}
        {clashing.length === 0 ? t.noClash : <strong>{t.seriesClash(clashing.length)}</strong>}
      </p>
      {too_small !== null && <p>{t.tooSmall(too_small.room, too_small.capacity, too_small.taken)}</p>}
      {skipped.length > 0 && (
        <p class="warned">
          {t.seriesHolidays(list(skipped.map(({ date, holiday }) => t.withNote(localDay(date), holiday))))}
        </p>
      )}
      <details open={clashing.length > 0}>
        <summary>{t.showThem}</summary>
        <ol class="occurrences">
          {occurrences.map(({ starts_at, ends_at, conflicts }) => (
            <li key={starts_at}>
              <span class="number">{t.dayAndTimes(day(starts_at), times(starts_at, ends_at))}</span>
              <ConflictList conflicts={conflicts} />
            </li>
          ))}
        </ol>
      </details>
    </>
  );
};

/** The clashes of the form, with suggestions. Its space is reserved while the check runs. */
export const ClashMessage = ({
  seen,
  rooms,
  onPick,
}: {
  seen: CheckState;
  rooms: readonly string[];
  onPick: (part: Partial<Draft>) => void;
}) => {
  const isBad =
    (seen.state === 'one' &&
      (seen.check.conflicts.length > 0 || seen.check.accepted.length > 0 || seen.check.too_small !== null)) ||
    (seen.state === 'series' &&
      (seen.preview.too_small !== null || seen.preview.occurrences.some(({ conflicts }) => conflicts.length > 0)));
  return (
    <div class={isBad ? 'clash bad' : 'clash'} role="status">
      {seen.state === 'nothing' && <p class="muted">{t.checksHere}</p>}
      {seen.state === 'asking' && <p class="muted">{t.checking}</p>}
      {seen.state === 'failed' && <Failure error={seen.error} />}
      {seen.state === 'one' && <SingleLessonResult check={seen.check} rooms={rooms} onPick={onPick} />}
      {seen.state === 'series' && <SeriesResult preview={seen.preview} />}
    </div>
  );
};
