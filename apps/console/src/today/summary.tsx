import { number } from '../shared/format.ts';
import { undecidedLeaves } from './leave-list.tsx';
import { overdueRollCalls } from './roll-call-list.tsx';
import type { Rows } from '../shared/row-query.ts';
import { uniqueClashes } from './today.rules.ts';
import { t } from './today-texts.ts';
import type { Today } from './today.state.ts';
import { countWithMore } from './decision-list.tsx';

interface Figure {
  to: string;
  label: string;
  /** Undefined while it is loading. */
  count: string | undefined;
}

/** The counts of the lists; each leads to its list. */
const figuresOf = ({ lessons, rollCalls, leave, lowOnHours, expiring, clashes }: Today): Figure[] => {
  const day = lessons.data.value?.items.filter(({ status }) => status !== 'cancelled');
  const count = (of: Pick<Rows<unknown>, 'next_cursor'> | undefined, shown: number) =>
    of === undefined ? undefined : countWithMore(shown, of.next_cursor !== null);
  const missing = rollCalls.data.value;
  const pendingLeave = leave.data.value;
  const low = lowOnHours.data.value;
  const expiringHours = expiring.data.value;
  const accepted = clashes.data.value;
  return [
    { to: 'now', label: t.lessons, count: day === undefined ? undefined : number(day.length) },
    {
      to: 'leave',
      label: t.leaveToDecide,
      count: count(pendingLeave, undecidedLeaves(pendingLeave?.items ?? []).length),
    },
    { to: 'roll-calls', label: t.rollCalls, count: count(missing, overdueRollCalls(missing?.items ?? []).length) },
    { to: 'clashes', label: t.clashes, count: count(accepted, uniqueClashes(accepted?.items ?? []).length) },
    { to: 'low', label: t.low, count: count(low, low?.items.length ?? 0) },
    { to: 'expiring', label: t.expiring, count: count(expiringHours, expiringHours?.items.length ?? 0) },
  ];
};

const goTo = (id: string): void => {
  const heading = document.querySelector<HTMLElement>(`#${id}`);
  heading?.focus();
  heading?.closest('section')?.scrollIntoView({ block: 'start' });
};

/** The counts of lessons and of open work. */
export const Summary = ({ today }: { today: Today }) => (
  <ul class="summary" aria-label={t.summary}>
    {figuresOf(today).map(({ to, label, count }) => (
      <li key={to}>
        <button type="button" class={count === '0' ? 'figure nothing' : 'figure'} onClick={() => goTo(to)}>
          <strong class="number">{count ?? '–'}</strong>
          <span>{label}</span>
        </button>
      </li>
    ))}
  </ul>
);
