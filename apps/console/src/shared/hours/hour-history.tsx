import type { ComponentChildren } from 'preact';
import { common } from '../common-texts.ts';
import { day, hours, money } from '../format.ts';
import { Empty } from '../parts/message.tsx';
import { NextPage } from '../parts/next-page.tsx';
import { QueryView } from '../parts/query-view.tsx';
import { entryText } from './entry-texts.ts';
import { historyLines, type HourEntry } from './hour-entry.rules.ts';
import { useEntries } from './hours.state.ts';
import { t } from './hours-texts.ts';
import './hours.css';

const balanceText = (balance: string): string =>
  Number(balance) < 0 ? t.afterOwed(hours(balance.replace('-', ''))) : t.after(hours(balance));

const EntryRow = ({ entry, children }: { entry: HourEntry; children: ComponentChildren }) => {
  const { amount, balance_after, created_at, reason, price_minor, currency, lesson_starts_at } = entry;
  const isPlus = Number(amount) > 0;
  const isOfThatDay = lesson_starts_at !== null && day(lesson_starts_at) === day(created_at);
  const dateText = lesson_starts_at === null ? day(created_at) : !isOfThatDay && t.entered(day(created_at));
  return (
    <li class="entry">
      <div>
        <p>{entryText(entry)}</p>
        <p class="small muted">
          {[dateText, reason, price_minor !== null && currency !== null && money(price_minor, currency)]
            .filter(Boolean)
            .join(' · ')}
        </p>
        {children}
      </div>
      <div class="number amount">
        {entry.kind !== 'settle' && (
          <strong class={isPlus ? 'good-text' : ''}>
            {isPlus ? '+' : '−'}
            {common.hours(hours(amount.replace('-', '')))}
          </strong>
        )}
        <span class="small muted">{balanceText(balance_after)}</span>
      </div>
    </li>
  );
};

interface HourHistoryProps {
  student_id: string;
  /** The rows of a page. */
  limit?: string;
  /** The actions of an entry. */
  actsOf?: (entry: HourEntry) => ComponentChildren;
}

/** The hour entries of a student in words, newest first: each change of the balance with its reason. */
export const HourHistory = ({ student_id, limit, actsOf }: HourHistoryProps) => {
  const entries = useEntries(student_id, limit);
  return (
    <QueryView query={entries} rows={8}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title={t.noEntries} />
        ) : (
          <>
            <ul class="rows">
              {historyLines(items).map((entry) => (
                <EntryRow key={entry.id} entry={entry}>
                  {actsOf?.(entry)}
                </EntryRow>
              ))}
            </ul>
            <NextPage query={entries} />
          </>
        )
      }
    </QueryView>
  );
};
