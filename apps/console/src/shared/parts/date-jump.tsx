import { texts } from '../language.ts';
import { Icon } from './icon.tsx';

const t = texts({ goTo: { en: 'Go to date', zh: '跳转到日期' } });

/** Shows the chosen day or range, and opens the calendar of the browser to choose another day. */
export const DateJump = ({ date, text, onPick }: { date: string; text: string; onPick: (date: string) => void }) => (
  <label class="date-jump" title={t.goTo}>
    <Icon name="calendar" />
    <span>{text}</span>
    <input
      type="date"
      aria-label={t.goTo}
      value={date}
      onClick={(event) => event.currentTarget.showPicker?.()}
      onChange={(event) => {
        if (event.currentTarget.value !== '') onPick(event.currentTarget.value);
      }}
    />
  </label>
);
