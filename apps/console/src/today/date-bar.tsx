import { useEffect, useRef } from 'preact/hooks';
import { common } from '../shared/common-texts.ts';
import { Icon } from '../shared/parts/icon.tsx';
import { addDays } from '../shared/zone.rules.ts';
import { t } from './today-texts.ts';
import type { DayChoice } from './today.state.ts';

/** Elements that use the arrow keys themselves. */
const ARROW_KEY_USERS = 'input, select, textarea, dialog, [contenteditable]';

/** The left and right arrow keys move by a day. */
const useArrows = (go: (days: number) => void): void => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (event.target instanceof Element && event.target.closest(ARROW_KEY_USERS) !== null) return;
      if (document.querySelector('dialog[open]') !== null) return;
      if (event.key === 'ArrowLeft') go(-1);
      if (event.key === 'ArrowRight') go(1);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
};

/** Chooses the day. */
export const DateBar = ({ chosen }: { chosen: DayChoice }) => {
  const { date, today, isToday, choose } = chosen;
  // Key presses that arrive before the page is drawn count from the last chosen day.
  const targetDate = useRef(date);
  targetDate.current = date;
  const go = (days: number): void => {
    targetDate.current = addDays(targetDate.current, days);
    choose(targetDate.current);
  };
  useArrows(go);
  const step = (days: number, label: string, icon: 'left' | 'right', keys: string) => (
    <button
      type="button"
      class="button icon"
      aria-label={label}
      aria-keyshortcuts={keys}
      title={label}
      onClick={() => go(days)}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <div class="date-bar no-print" role="group" aria-label={t.date}>
      {step(-1, t.dayBefore, 'left', 'ArrowLeft')}
      <input
        type="date"
        aria-label={t.date}
        value={date}
        onChange={(event) => event.currentTarget.value !== '' && choose(event.currentTarget.value)}
      />
      {step(1, t.dayAfter, 'right', 'ArrowRight')}
      <button type="button" class="button" disabled={isToday} onClick={() => choose(today)}>
        {common.today}
      </button>
    </div>
  );
};
