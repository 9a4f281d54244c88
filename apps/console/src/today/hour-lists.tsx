import type { ComponentChildren } from 'preact';
import { day, hours, lastMomentBefore } from '../shared/format.ts';
import { Icon } from '../shared/parts/icon.tsx';
import { Avatar } from '../shared/parts/avatar.tsx';
import { t } from './today-texts.ts';
import type { DayChoice, Today } from './today.state.ts';
import { DecisionList } from './decision-list.tsx';

export const LOW_CHOICES = [1, 2, 3, 5, 10] as const;
export const EXPIRY_CHOICES = [7, 14, 30, 60, 90] as const;

const all = <T,>(items: readonly T[]): readonly T[] => items;
export type OpenStudent = (student_id: string) => void;

const withChosen = (choices: readonly number[], chosen: number): number[] =>
  [...new Set([...choices, chosen])].toSorted((a, b) => a - b);

/** Chooses one of a few numbers; a number from the address is added to them. */
const Choice = ({
  label,
  value,
  choices,
  textOf,
  onChange,
}: {
  label: string;
  value: number;
  choices: readonly number[];
  textOf: (value: number) => string;
  onChange: (value: number) => void;
}) => (
  <label class="choice">
    <span>{label}</span>
    <select value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
      {withChosen(choices, value).map((choice) => (
        <option key={choice} value={choice}>
          {textOf(choice)}
        </option>
      ))}
    </select>
  </label>
);

/** Opens the dialog of a student. */
export const StudentButton = ({
  name,
  open,
  children,
}: {
  name: string;
  open: () => void;
  children: ComponentChildren;
}) => (
  <button type="button" class="waiting" aria-haspopup="dialog" onClick={open}>
    <Avatar name={name} />
    <span class="what">
      <strong>{name}</strong>
    </span>
    {children}
    <Icon name="right" size={18} />
  </button>
);

/** The hours left, or owed. */
export const BalanceBadge = ({ balance }: { balance: string }) => {
  const left = Number(balance);
  return left < 0 ? (
    <span class="badge bad number">{t.owes(hours(String(-left)))}</span>
  ) : (
    <span class={left === 0 ? 'badge warn number' : 'badge number'}>{t.left(hours(balance))}</span>
  );
};

interface HourListProps {
  chosen: DayChoice;
  open: OpenStudent;
}

/** Students with few hours, or with a debt. */
export const LowHoursList = ({ query, chosen, open }: HourListProps & { query: Today['lowOnHours'] }) => (
  <DecisionList
    id="low"
    title={t.low}
    query={query}
    shown={all}
    none={t.noLow(hours(String(chosen.low)))}
    keyOf={({ student_id }) => student_id}
    choice={
      <Choice
        label={t.below}
        value={chosen.low}
        choices={LOW_CHOICES}
        textOf={(n) => t.hoursOf(hours(String(n)))}
        onChange={chosen.chooseLow}
      />
    }
  >
    {({ student_id, student_name, balance }) => (
      <StudentButton name={student_name ?? student_id} open={() => open(student_id)}>
        <BalanceBadge balance={balance} />
      </StudentButton>
    )}
  </DecisionList>
);

/** Students whose hours expire soon. */
export const ExpiringHoursList = ({ query, chosen, open }: HourListProps & { query: Today['expiring'] }) => (
  <DecisionList
    id="expiring"
    title={t.expiring}
    query={query}
    shown={all}
    none={t.noExpiring(chosen.within)}
    keyOf={({ student_id }) => student_id}
    choice={
      <Choice
        label={t.within}
        value={chosen.within}
        choices={EXPIRY_CHOICES}
        textOf={t.days}
        onChange={chosen.chooseWithin}
      />
    }
  >
    {({ student_id, student_name, expiring, next_expiry }) => (
      <StudentButton name={student_name ?? student_id} open={() => open(student_id)}>
        <span class="amounts">
          <span class="badge warn number">{t.willExpire(hours(expiring))}</span>
          {next_expiry !== null && <span class="small muted">{t.expires(day(lastMomentBefore(next_expiry)))}</span>}
        </span>
      </StudentButton>
    )}
  </DecisionList>
);
