import './timetable.css';
import { useEffect } from 'preact/hooks';
import { Page } from '../frame/page.tsx';
import { localLongDay, localRange, orgZone } from '../shared/format.ts';
import { Failure, Skeleton } from '../shared/parts/message.tsx';
import { QueryView } from '../shared/parts/query-view.tsx';
import { Icon } from '../shared/parts/icon.tsx';
import { useReopened } from '../shared/open-state.ts';
import { me } from '../shared/session.ts';
import { addDays, localOf, timeOf } from '../shared/zone.rules.ts';
import { CancelForm, RestoreForm, SubstituteForm } from './action-forms.tsx';
import { draftOf, newDraft } from './draft.rules.ts';
import { Grid } from './grid.tsx';
import { lessonCount } from './lesson.rules.ts';
import { LessonForm } from './lesson-form.tsx';
import { OpenedLesson } from './opened-lesson.tsx';
import { type LessonContext, useLessonContext } from './lesson-context.state.ts';
import { useNames } from './picker.state.ts';
import { t } from './timetable-texts.ts';
import {
  type Lesson,
  dialogState,
  announcement,
  useConflicts,
  useHolidays,
  useView,
  useWeek,
  type View,
} from './timetable.state.ts';
import { Filters, Legend, ViewOptions, DateSteps, DayStrip } from './toolbar.tsx';

/** The dialog above the grid. */
const OpenDialog = ({
  lessons,
  context,
  view,
}: {
  lessons: readonly Lesson[] | undefined;
  context: LessonContext | undefined;
  view: View;
}) => {
  const names = useNames(view.chosen).data.value;
  const { value } = dialogState;
  const close = (): void => {
    dialogState.value = undefined;
  };
  useReopened('timetable', dialogState, undefined);
  useEffect(() => close, []);
  if (value === undefined)
    return view.opened === undefined ? null : <OpenedLesson id={view.opened} {...{ lessons, context, view }} />;
  switch (value.what) {
    case 'new': {
      const { clazz, teacher, room } = view.chosen;
      const start = {
        ...newDraft(value.date, timeOf(value.minutes)),
        ...(clazz === undefined ? {} : { clazz: { id: clazz, name: names?.clazz ?? '' } }),
        ...(teacher === undefined ? {} : { teacher: { id: teacher, name: names?.teacher ?? '' } }),
        ...(room === undefined ? {} : { room }),
      };
      return <LessonForm key="new" title={t.newLesson} draftName="lesson new" start={start} onClose={close} />;
    }
    case 'edit': {
      const { lesson, times = lesson } = value;
      return (
        <LessonForm
          key={`edit ${lesson.id}`}
          title={value.times === undefined ? t.edit : t.move}
          draftName={`lesson ${lesson.id}${value.times === undefined ? '' : ` to ${times.starts_at}`}`}
          start={draftOf(lesson, times, orgZone())}
          lesson={lesson}
          onClose={close}
        />
      );
    }
    case 'cancel':
      return <CancelForm lesson={value.lesson} onClose={close} />;
    case 'restore':
      return <RestoreForm lesson={value.lesson} onClose={close} />;
    case 'substitute':
      return <SubstituteForm lesson={value.lesson} onClose={close} />;
    default:
      return value satisfies never;
  }
};

const countsOf = (lessons: readonly Lesson[]): Map<string, number> => {
  const zone = orgZone();
  const byDate = Map.groupBy(lessons, ({ starts_at }) => localOf(starts_at, zone).date);
  return new Map([...byDate].map(([date, dayLessons]) => [date, lessonCount(dayLessons)]));
};

/** The heading on paper, instead of the controls. */
const PrintHeading = ({ view }: { view: View }) => {
  const names = useNames(view.chosen).data.value ?? {};
  const range = view.isDay ? localLongDay(view.date) : localRange(view.monday, addDays(view.monday, 6));
  const school = me.value?.policy.org_name ?? undefined;
  return (
    <p class="printed">{[school, range, ...Object.values(names)].filter((part) => part !== undefined).join(' · ')}</p>
  );
};

/** The timetable of a week or a day, with all actions of the office. */
const Timetable = () => {
  const view = useView();
  const week = useWeek(view.monday, view.chosen);
  const holidays = useHolidays();
  const lessons = week.data.value ?? [];
  const conflicts = useConflicts(view.monday);
  const context = useLessonContext(view.colour, conflicts.data.value);
  return (
    <Page
      title={t.title}
      wide
      actions={
        <div class="acts no-print">
          <ViewOptions view={view} />
          <button type="button" class="button icon" aria-label={t.print} title={t.print} onClick={() => print()}>
            <Icon name="print" />
          </button>
          <button
            type="button"
            class="button main"
            onClick={() => {
              dialogState.value = { what: 'new', date: view.date, minutes: 16 * 60 };
            }}
          >
            <Icon name="plus" /> {t.newLesson}
          </button>
        </div>
      }
    >
      <div class="timetable">
        <div class="tools no-print">
          <DateSteps view={view} />
          <Filters view={view} />
        </div>
        <PrintHeading view={view} />
        {view.isPhone && <DayStrip view={view} counts={countsOf(lessons)} />}
        <QueryView query={week} rows={12}>
          {(found) =>
            context === undefined ? (
              <Skeleton rows={12} />
            ) : (
              <>
                {conflicts.error.value !== undefined && (
                  <Failure error={conflicts.error.value} retry={conflicts.refetch} />
                )}
                <Grid {...{ view, week, context }} lessons={found} holidays={holidays.data.value} />
                {found.length > 0 ? (
                  <Legend {...{ view, context }} lessons={found} />
                ) : (
                  <p class="muted">{view.isFiltered ? t.emptyFiltered : t.empty}</p>
                )}
              </>
            )
          }
        </QueryView>
        <OpenDialog lessons={week.data.value} {...{ context, view }} />
        <p class="visually-hidden" aria-live="assertive">
          {announcement.value}
        </p>
      </div>
    </Page>
  );
};
export default Timetable;
