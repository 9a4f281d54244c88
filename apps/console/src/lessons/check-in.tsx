import { useState } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { changed } from '../shared/query.ts';
import { localDay, weekdayName } from '../shared/format.ts';
import { Icon } from '../shared/parts/icon.tsx';
import { Failure } from '../shared/parts/message.tsx';
import { toast } from '../shared/parts/toasts.tsx';
import { ActionButton } from '../shared/parts/action-button.tsx';
import { lastDays, type PlanDay } from './check-in.rules.ts';
import type { Child } from './child.rules.ts';
import { t } from './family-texts.ts';
import type { ActivePlan } from './to-do.state.ts';

const SHOWN_DAYS = 7;

const Dot = ({ day, put }: { day: PlanDay; put: ((date: string) => Promise<void>) | undefined }) => {
  const label = `${localDay(day.date)}: ${t[day.state]}`;
  return (
    <li>
      <span class="small muted" aria-hidden="true">
        {weekdayName(day.date)}
      </span>
      {put !== undefined && day.canCheckIn && day.state === 'missed' ? (
        <button
          type="button"
          class="catch-up"
          aria-label={t.checkInFor(localDay(day.date))}
          title={t.checkInFor(localDay(day.date))}
          onClick={() => void put(day.date)}
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

const Today = ({ day, put }: { day: PlanDay | undefined; put: (() => Promise<void>) | undefined }) => {
  if (day === undefined) return <p class="muted small">{t.notToday}</p>;
  if (day.state === 'done')
    return (
      <p class="good-text">
        <Icon name="check" size={18} /> {t.checkedIn}
      </p>
    );
  if (put === undefined) return <p class="muted small">{t.notYet}</p>;
  return (
    <ActionButton kind="main" run={put}>
      {t.checkIn}
    </ActionButton>
  );
};

/** A plan that runs: its streak, its last days, and one tap. Students check in themselves. */
export const PlanTile = ({ child, running, isNamed }: { child: Child; running: ActivePlan; isNamed: boolean }) => {
  const { plan, streak, done, today } = running;
  const [error, setError] = useState<unknown>();
  const put = async (local_date: string): Promise<void> => {
    setError(undefined);
    try {
      await api.putDaka({ body: { jihua_id: plan.id, local_date } });
      toast(t.checkInSaved);
    } catch (failure) {
      setError(failure);
    }
    changed('check_in');
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
          <Dot key={day.date} day={day} put={child.isSelf ? put : undefined} />
        ))}
      </ul>
      {error !== undefined && <Failure error={error} />}
      <Today day={days.find(({ date }) => date === today)} put={child.isSelf ? () => put(today) : undefined} />
    </section>
  );
};
