import { useAddress } from '../shared/address.ts';
import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import { date, day, hours, lastMomentBefore, money } from '../shared/format.ts';
import { QueryView } from '../shared/parts/query-view.tsx';
import { ListView } from '../shared/parts/list-view.tsx';
import { Empty } from '../shared/parts/message.tsx';
import type { Child } from './child.rules.ts';
import { type Account, nextExpiringLot, type HourEntry, type Lot, remainingLots } from './hour-entry.rules.ts';
import { entryText } from './entry-texts.ts';
import { useAccount, useEntries } from './hours.state.ts';
import { ChildCard } from './child-card.tsx';
import { t } from './family-texts.ts';

const lastDay = (expires_at: string): string => date(lastMomentBefore(expires_at));

const LotRow = ({ lot }: { lot: Lot }) => {
  const { remaining, granted, expires_at, price_minor, currency, package_title, kind } = lot;
  const end =
    expires_at === null
      ? t.noEnd
      : Date.parse(expires_at) <= now.value
        ? t.lotOver(lastDay(expires_at))
        : t.lotUntil(lastDay(expires_at));
  return (
    <li class="lot">
      <div class="line">
        <strong>{package_title ?? (kind === 'gift' ? t.gift : t.paid)}</strong>
        <span class="number">{t.lotOf(hours(remaining), hours(granted))}</span>
      </div>
      <progress max={Number(granted)} value={Math.max(0, Number(remaining))} aria-hidden="true" />
      <p class="small muted">
        {[
          package_title !== null && kind === 'gift' && t.gift,
          end,
          price_minor !== null && currency !== null && price_minor > 0 && money(price_minor, currency),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </li>
  );
};

const EntryRow = ({ entry }: { entry: HourEntry }) => {
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
      </div>
      <div class="number amount">
        <strong class={isPlus ? 'good-text' : ''}>
          {isPlus ? '+' : '−'}
          {common.hours(hours(amount.replace('-', '')))}
        </strong>
        <span class="small muted">{t.after(hours(balance_after))}</span>
      </div>
    </li>
  );
};

/** All hour entries in words, newest first. */
const Movements = ({ child }: { child: Child }) => {
  const entries = useEntries(child);
  return (
    <ChildCard title={t.movements} child={child} isNamed={false}>
      <ListView query={entries} rows={8} empty={<Empty title={t.noMovements} />}>
        {(entry) => <EntryRow key={entry.id} entry={entry} />}
      </ListView>
    </ChildCard>
  );
};

const Balance = ({ balance, lots }: Account) => {
  const { left, usedUp } = remainingLots(lots);
  const isOwed = Number(balance) < 0;
  const soon = nextExpiringLot(lots, now.value);
  return (
    <>
      <p>
        <strong class={`large number${isOwed ? ' owed' : ''}`}>{hours(balance.replace('-', ''))}</strong>{' '}
        {isOwed ? t.owed : t.hoursLeft}
      </p>
      {soon?.expires_at && <p class="small warn-text">{t.expiring(hours(soon.remaining), lastDay(soon.expires_at))}</p>}
      {lots.length === 0 ? (
        <Empty title={t.noLots}>{t.noLotsWhy}</Empty>
      ) : (
        <ul class="lots" aria-label={t.bought}>
          {left.map((lot) => (
            <LotRow key={lot.id} lot={lot} />
          ))}
          {usedUp > 0 && <li class="small muted">{t.usedUp(usedUp)}</li>}
        </ul>
      )}
    </>
  );
};

/** The balance of one child, its lots and its entries. For several children it links to the entries of each. */
export const HoursOf = ({ child, isNamed }: { child: Child; isNamed: boolean }) => {
  const account = useAccount(child);
  const { address } = useAddress();
  return (
    <div class={isNamed ? '' : 'hours'}>
      <ChildCard title={t.hoursTitle} child={child} isNamed={isNamed}>
        <div class="inside">
          <QueryView query={account} rows={4}>
            {(found) => <Balance {...found} />}
          </QueryView>
          {isNamed && (
            <a class="small" href={address({ child: child.id })}>
              {t.why}
            </a>
          )}
        </div>
      </ChildCard>
      {!isNamed && <Movements child={child} />}
    </div>
  );
};
