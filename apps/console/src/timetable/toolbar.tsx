import { useState } from 'preact/hooks';
import { common } from '../shared/common-texts.ts';
import { localDay, localLongDay, localRange, weekdayName } from '../shared/format.ts';
import { DateJump } from '../shared/parts/date-jump.tsx';
import { Icon } from '../shared/parts/icon.tsx';
import { Segments } from '../shared/parts/segments.tsx';
import { addDays } from '../shared/zone.rules.ts';
import { tinted } from './colours.rules.ts';
import type { LessonContext } from './lesson-context.state.ts';
import { Picker } from './picker.tsx';
import { useNames } from './picker.state.ts';
import { t } from './timetable-texts.ts';
import { type FilterKind, FILTER_KINDS, type Lesson, NO_FILTERS, today, type View } from './timetable.state.ts';

const kindText = (kind: FilterKind): string => common[kind === 'clazz' ? 'class' : kind];

/** Moves by a week or a day, to today, or to a date. */
export const DateSteps = ({ view }: { view: View }) => {
  const by = view.isDay && !view.isPhone ? 1 : 7;
  const step = (days: number) => () => view.put({ date: addDays(view.date, days), lesson: null });
  const range = view.isDay
    ? (view.isPhone ? localDay : localLongDay)(view.date)
    : localRange(view.monday, addDays(view.monday, 6));
  return (
    <div class="steps">
      <button type="button" class="button icon" aria-label={t.earlier} onClick={step(-by)}>
        <Icon name="left" />
      </button>
      <button type="button" class="button" onClick={() => view.put({ date: null, lesson: null })}>
        {common.today}
      </button>
      <button type="button" class="button icon" aria-label={t.later} onClick={step(by)}>
        <Icon name="right" />
      </button>
      <DateJump date={view.date} text={range} onPick={(date) => view.put({ date, lesson: null })} />
    </div>
  );
};

/** The days of the week, on a phone; one of them is shown. Lessons can be dropped on them. */
export const DayStrip = ({ view, counts }: { view: View; counts: ReadonlyMap<string, number> }) => (
  <div class="strip" role="group" aria-label={t.week}>
    {view.week.map((date) => (
      <button
        key={date}
        type="button"
        data-date={date}
        class={date === today.value ? 'today' : ''}
        aria-pressed={date === view.date}
        onClick={() => view.put({ date, lesson: null })}
      >
        <span class="visually-hidden">{`${localLongDay(date)}, ${t.lessons(counts.get(date) ?? 0)}`}</span>
        <span aria-hidden="true">{weekdayName(date)}</span>
        <b aria-hidden="true">{Number(date.slice(8))}</b>
        <i aria-hidden="true">{counts.get(date) ?? ''}</i>
      </button>
    ))}
  </div>
);

/** The filters by teacher, room, class and student. */
export const Filters = ({ view }: { view: View }) => {
  const [openFilter, setOpenFilter] = useState<FilterKind>();
  const names = useNames(view.chosen);
  return (
    <div class="filters" role="group" aria-label={t.filters}>
      {FILTER_KINDS.map((kind) => {
        const chosen = view.chosen[kind];
        return (
          <button
            key={kind}
            type="button"
            class={chosen === undefined ? 'chip' : 'chip chosen'}
            aria-haspopup="dialog"
            onClick={() => setOpenFilter(kind)}
          >
            <span>{kindText(kind)}</span>
            {chosen !== undefined && <b>{names.data.value?.[kind] ?? '…'}</b>}
          </button>
        );
      })}
      {view.isFiltered && (
        <button type="button" class="chip" onClick={() => view.put({ ...NO_FILTERS, lesson: null })}>
          {t.clear}
        </button>
      )}
      {openFilter !== undefined && (
        <Picker
          kind={openFilter}
          title={kindText(openFilter)}
          none={t.all}
          onClose={() => setOpenFilter(undefined)}
          onPick={(picked) => {
            setOpenFilter(undefined);
            view.put({ [openFilter]: picked?.id ?? null, lesson: null });
          }}
        />
      )}
    </div>
  );
};

/** The choice of week or day view. */
export const ViewOptions = ({ view }: { view: View }) => (
  <>
    {!view.isPhone && (
      <Segments
        label={t.view}
        value={view.isDay ? 'day' : 'week'}
        options={[
          ['week', t.week],
          ['day', t.day],
        ]}
        onChange={(chosen) => view.put({ view: chosen === 'day' ? 'day' : null, lesson: null })}
      />
    )}
  </>
);

/** The colours of classes or teachers. A click filters by one of them. */
export const Legend = ({
  view,
  lessons,
  context,
}: {
  view: View;
  lessons: readonly Lesson[];
  context: LessonContext;
}) => {
  const isClass = view.colour === 'class';
  const names = new Map(
    lessons.map(({ clazz_id, clazz_name, teacher_id, teacher_name }) =>
      isClass ? [clazz_id, clazz_name] : [teacher_id, teacher_name ?? common.notListed],
    ),
  );
  const sorted = [...names].toSorted(([, a], [, b]) => a.localeCompare(b));
  return (
    <div class="legend">
      <Segments
        label={t.colours}
        value={view.colour}
        options={[
          ['class', t.byClass],
          ['teacher', t.byTeacher],
        ]}
        onChange={(chosen) => view.put({ colour: chosen === 'class' ? null : chosen })}
      />
      <ul>
        {sorted.map(([id, name]) => (
          <li key={id}>
            <button
              type="button"
              {...tinted(context.colourOf(id))}
              onClick={() => view.put({ [isClass ? 'clazz' : 'teacher']: id, lesson: null })}
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
};
