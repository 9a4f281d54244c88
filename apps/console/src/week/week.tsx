import { Page } from '../frame/page.tsx';
import { useAddress } from '../shared/address.ts';
import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import { dayOverText } from '../shared/day-over-text.ts';
import * as format from '../shared/format.ts';
import { DateJump } from '../shared/parts/date-jump.tsx';
import { QueryView } from '../shared/parts/query-view.tsx';
import { Icon } from '../shared/parts/icon.tsx';
import { Empty, Skeleton } from '../shared/parts/message.tsx';
import { useAllLoaded } from '../shared/use-all-loaded.ts';
import { addDays, dateFrom, localOf, mondayOf } from '../shared/zone.rules.ts';
import { WeekLesson } from './week-lesson.tsx';
import { MissingRollCalls } from './missing-roll-calls.tsx';
import { t } from './week-texts.ts';
import { UnsavedMarksMessage } from './unsaved-marks-message.tsx';
import './week.css';
import { daysOf, type FormerPlan, isGiven, nowAndNext, type OwnLesson } from './week.rules.ts';
import { useMissingRollCalls, useFormerPlans, useWeek, type Week as WeekData } from './week.state.ts';

/** A lesson before its recent changes; undefined if the teacher cannot know it. */
type FormerPlanOf = (lesson: OwnLesson) => FormerPlan | undefined;

interface DayProps {
  date: string;
  lessons: readonly OwnLesson[];
  formerPlanOf: FormerPlanOf;
}

/** Today, with the current and the next lesson emphasized. */
const Today = ({ date, lessons, formerPlanOf }: DayProps) => {
  const own = lessons.filter((lesson) => !isGiven(lesson));
  const { current, next } = nowAndNext(own, now.value);
  const bigOf = (lesson: OwnLesson): 'now' | 'next' | undefined =>
    current.includes(lesson) ? 'now' : lesson === next ? 'next' : undefined;
  return (
    <section class="card day today" aria-labelledby={`day-${date}`}>
      <header>
        <h2 id={`day-${date}`}>
          {common.today} <span class="muted">{format.localLongDay(date)}</span>
        </h2>
        {own.length > 0 && current.length === 0 && next === undefined && (
          <span class="muted small">{dayOverText(own)}</span>
        )}
      </header>
      {lessons.length === 0 ? (
        <Empty title={t.freeToday}>{t.freeTodayWhy}</Empty>
      ) : (
        <ul class="rows">
          {lessons.map((lesson) => {
            const big = bigOf(lesson);
            return <WeekLesson key={lesson.id} lesson={lesson} former={formerPlanOf(lesson)} {...(big && { big })} />;
          })}
        </ul>
      )}
    </section>
  );
};

const Day = ({ date, lessons, formerPlanOf }: DayProps) => (
  <section class={lessons.length === 0 ? 'day free' : 'card day'} aria-labelledby={`day-${date}`}>
    <header>
      <h2 id={`day-${date}`}>{format.localLongDay(date)}</h2>
      {lessons.length === 0 && <span class="muted small">{t.free}</span>}
    </header>
    {lessons.length > 0 && (
      <ul class="rows">
        {lessons.map((lesson) => (
          <WeekLesson key={lesson.id} lesson={lesson} former={formerPlanOf(lesson)} />
        ))}
      </ul>
    )}
  </section>
);

const Days = ({ week, monday, today }: { week: WeekData; monday: string; today: string }) => {
  const plans = useFormerPlans(week).data.value;
  const formerPlanOf: FormerPlanOf = ({ id, clazz_id }) =>
    week.led.includes(clazz_id) ? (plans?.get(id) ?? {}) : undefined;
  const days = daysOf(week.lessons, monday, format.orgZone());
  const isThisWeek = monday === mondayOf(today);
  if (!isThisWeek && week.lessons.length === 0) return <Empty title={t.freeWeek} />;
  const todayLessons = days.find(({ date }) => date === today);
  const past = days.filter(({ date }) => date < today);
  const others = isThisWeek ? days.filter(({ date }) => date > today) : days;
  return (
    <div class="week">
      {todayLessons && <Today date={today} lessons={todayLessons.lessons} formerPlanOf={formerPlanOf} />}
      {others.map(({ date, lessons }) => (
        <Day key={date} date={date} lessons={lessons} formerPlanOf={formerPlanOf} />
      ))}
      {isThisWeek && past.length > 0 && (
        <>
          <h2 class="earlier">{t.earlier}</h2>
          {past.map(({ date, lessons }) => (
            <Day key={date} date={date} lessons={lessons} formerPlanOf={formerPlanOf} />
          ))}
        </>
      )}
    </div>
  );
};

/** Moves by a week, to the current one, or to the week of a date. */
const WeekSteps = ({ monday, today }: { monday: string; today: string }) => {
  const { put } = useAddress();
  const goTo = (date: string): void => put({ date: mondayOf(date) === mondayOf(today) ? null : date });
  return (
    <div class="steps">
      <button type="button" class="button icon" aria-label={t.previous} onClick={() => goTo(addDays(monday, -7))}>
        <Icon name="left" />
      </button>
      <button type="button" class="button" disabled={monday === mondayOf(today)} onClick={() => goTo(today)}>
        {t.thisWeek}
      </button>
      <button type="button" class="button icon" aria-label={t.next} onClick={() => goTo(addDays(monday, 7))}>
        <Icon name="right" />
      </button>
      <DateJump date={monday} text={format.localRange(monday, addDays(monday, 6))} onPick={goTo} />
    </div>
  );
};

const Week = () => {
  const { query } = useAddress();
  const today = localOf(now.value, format.orgZone()).date;
  const monday = mondayOf(dateFrom(query['date'], today));
  const week = useWeek(monday);
  const isShown = useAllLoaded([week, useMissingRollCalls(1)]);
  return (
    <Page title={t.title} actions={<WeekSteps monday={monday} today={today} />}>
      <UnsavedMarksMessage />
      {isShown ? (
        <>
          <MissingRollCalls />
          {week.storedAt.value !== null && !week.isBusy.value && (
            <p class="muted small">{t.keptSince(format.dayTime(week.storedAt.value))}</p>
          )}
          <QueryView query={week} rows={8}>
            {(found) => <Days week={found} monday={monday} today={today} />}
          </QueryView>
        </>
      ) : (
        <Skeleton rows={8} />
      )}
    </Page>
  );
};
export default Week;
