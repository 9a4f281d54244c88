import { useState } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { invalidateKinds } from '../shared/query.ts';
import { localDay, weekdayName } from '../shared/format.ts';
import { Icon } from '../shared/parts/icon.tsx';
import { Failure } from '../shared/parts/message.tsx';
import { toast } from '../shared/parts/toasts.tsx';
import { ActionButton } from '../shared/parts/action-button.tsx';
import { lastDays, type PlanDay } from './check-in.rules.ts';
import type { Child } from './child.rules.ts';
import { common } from '../shared/common-texts.ts';
import { t } from './family-texts.ts';
import type { ActivePlan } from './to-do.state.ts';

const SHOWN_DAYS = 7;

const DayDot = ({ day, checkIn }: { day: PlanDay; checkIn: ((date: string) => Promise<void>) | undefined }) => {
  const label = common.labelled(localDay(day.date), t[day.state]);
  return (
    <li>
      <span class="small muted" aria-hidden="true">
        {weekdayName(day.date)}
      </span>
      {checkIn !== undefined && day.canCheckIn && day.state === 'missed' ? (
        <button
          type="button"
          class="catch-up"
          aria-label={t.checkInFor(localDay(day.date))}
          title={t.checkInFor(localDay(day.date))}
          onClick={() => void checkIn(day.date)}
        >
          <span class="dot">
            <Icon name="plus" size={14} />
          </span>
        </button>
      ) : (
        <span class={`dot ${day.state}`} title={label}>
          {day.state === 'done' && <Icon name="check" size={14} />}
          <span class="visually-hidden">{label}</span>
        </span>
      )}
    </li>
  );
};

const TodayCheckIn = ({ day, checkIn }: { day: PlanDay | undefined; checkIn: (() => Promise<void>) | undefined }) => {
  if (day === undefined) return <p class="muted small">{t.notToday}</p>;
  if (day.state === 'done')
    return (
      <p class="good-text">
        <Icon name="check" size={18} /> {t.checkedIn}
      </p>
    );
  if (checkIn === undefined) return <p class="muted small">{t.notYet}</p>;
  return (
    <ActionButton kind="main" run={checkIn}>
      {t.checkIn}
    </ActionButton>
  );
};

/** An active plan: its streak, its last days and a check-in button. Only students check in, for themselves. */
export const PlanTile = ({ child, running, isNamed }: { child: Child; running: ActivePlan; isNamed: boolean }) => {
  const { plan, streak, done, today } = running;
  const [error, setError] = useState<unknown>();
  const checkIn = async (local_date: string): Promise<void> => {
    setError(undefined);
    try {
      await api.putDaka({ body: { jihua_id: plan.id, local_date } });
      toast(t.checkInSaved);
    } catch (failure) {
      setError(failure);
    }
    invalidateKinds('check_in');
  };
  const days = lastDays(plan, new Set(done), today, SHOWN_DAYS);
  return (
    <section class="card tile plan">
      {isNamed && <p class="child small">{child.name}</p>}
      <h2>{plan.title}</h2>
      <p>
        <strong class="large">{t.streak(streak.current)}</strong>
      </p>
      <p class="muted small">
        {t.longest(streak.longest)} · {t.rate(streak.done, streak.planned)}
      </p>
      <ul class="dots" aria-label={t.planDays}>
        {days.map((day) => (
          <DayDot key={day.date} day={day} checkIn={child.isSelf ? checkIn : undefined} />
        ))}
      </ul>
      {error !== undefined && <Failure error={error} />}
      <TodayCheckIn
        day={days.find(({ date }) => date === today)}
        checkIn={child.isSelf ? () => checkIn(today) : undefined}
      />
    </section>
  );
};
