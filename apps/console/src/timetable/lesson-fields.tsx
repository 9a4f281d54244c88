import { common } from '../shared/common-texts.ts';
import { weekdayName } from '../shared/format.ts';
import { Segments } from '../shared/parts/segments.tsx';
import { addDays, mondayOf } from '../shared/zone.rules.ts';
import { type Draft, defaultSeriesEnd, withRepeat } from './draft.rules.ts';
import type { RoomChoice } from './lesson-form.state.ts';
import { t } from './timetable-texts.ts';

export type ChangeDraft = (part: Partial<Draft>) => void;
export interface DraftFieldProps {
  draft: Draft;
  put: ChangeDraft;
}

export const PickField = ({
  label,
  name,
  onOpen,
  isFixed = false,
}: {
  label: string;
  name: string | undefined;
  onOpen: () => void;
  isFixed?: boolean;
}) => (
  <div class="field">
    <span>{label}</span>
    <button
      type="button"
      class="button choice"
      disabled={isFixed}
      aria-haspopup="dialog"
      onClick={onOpen}
      aria-label={common.labelled(label, name ?? t.choose)}
    >
      {name ?? <span class="muted">{t.choose}</span>}
    </button>
  </div>
);

/** The time of a lesson. It is fixed once the lesson was held. */
export const TimeFields = ({ draft, put, isFixed }: DraftFieldProps & { isFixed: boolean }) => (
  <div class="three">
    <label class="field">
      <span>{t.date}</span>
      <input
        type="date"
        required
        disabled={isFixed}
        min="1970-01-01"
        max="2999-12-31"
        value={draft.date}
        onInput={(event) => put({ date: event.currentTarget.value })}
      />
    </label>
    <label class="field">
      <span>{t.startsAt}</span>
      <input
        type="time"
        required
        disabled={isFixed}
        value={draft.time}
        onInput={(event) => put({ time: event.currentTarget.value })}
      />
    </label>
    <label class="field">
      <span>{t.minutes}</span>
      <input
        type="number"
        required
        disabled={isFixed}
        min={1}
        max={1440}
        inputMode="numeric"
        value={draft.minutes}
        onInput={(event) => put({ minutes: event.currentTarget.valueAsNumber })}
      />
    </label>
  </div>
);

export const RepeatFields = ({ draft, put }: DraftFieldProps) => {
  const isSeries = draft.weekdays.length > 0;
  const monday = mondayOf(draft.date === '' ? '2026-01-05' : draft.date);
  const toggle = (weekday: number): void => {
    const has = draft.weekdays.includes(weekday);
    const weekdays = has ? draft.weekdays.filter((day) => day !== weekday) : [...draft.weekdays, weekday];
    if (weekdays.length > 0) put({ weekdays });
  };
  return (
    <>
      <div class="field">
        <span>{t.repeat}</span>
        <Segments
          label={t.repeat}
          value={isSeries ? 'weekly' : 'once'}
          options={[
            ['once', t.once],
            ['weekly', t.weekly],
          ]}
          onChange={(chosen) => put(withRepeat(draft, chosen === 'weekly'))}
        />
      </div>
      {isSeries && (
        <>
          <fieldset class="field">
            <legend>{t.days}</legend>
            <div class="weekdays">
              {Array.from({ length: 7 }, (_none, at) => at + 1).map((weekday) => (
                <label key={weekday} class="chip">
                  <input type="checkbox" checked={draft.weekdays.includes(weekday)} onChange={() => toggle(weekday)} />
                  {weekdayName(addDays(monday, weekday - 1))}
                </label>
              ))}
            </div>
          </fieldset>
          <div class="two">
            <label class="field">
              <span>{t.ends}</span>
              <select
                value={draft.until === undefined ? 'count' : 'date'}
                onChange={(event) =>
                  put({ until: event.currentTarget.value === 'date' ? defaultSeriesEnd(draft.date) : undefined })
                }
              >
                <option value="count">{t.untilCount}</option>
                <option value="date">{t.untilDate}</option>
              </select>
            </label>
            {draft.until === undefined ? (
              <label class="field">
                <span>{t.count}</span>
                <input
                  type="number"
                  min={1}
                  max={500}
                  value={draft.count}
                  onInput={(event) => put({ count: event.currentTarget.valueAsNumber || 1 })}
                />
              </label>
            ) : (
              <label class="field">
                <span>{t.date}</span>
                <input
                  type="date"
                  required
                  min={draft.date}
                  value={draft.until}
                  onInput={(event) => put({ until: event.currentTarget.value })}
                />
              </label>
            )}
          </div>
        </>
      )}
    </>
  );
};

export const RoomField = ({ draft, put, rooms }: DraftFieldProps & { rooms: readonly RoomChoice[] }) => (
  <label class="field">
    <span>{common.room}</span>
    <select
      value={draft.room ?? ''}
      onChange={(event) => put({ room: event.currentTarget.value === '' ? null : event.currentTarget.value })}
    >
      <option value="">{t.noRoom}</option>
      {rooms.map(({ name, isTaken }) => (
        <option key={name} value={name}>
          {isTaken === undefined ? name : t.withNote(name, isTaken ? t.inUse : t.free)}
        </option>
      ))}
    </select>
  </label>
);
