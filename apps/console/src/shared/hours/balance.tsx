import { now } from '../clock.ts';
import { date, hours, lastMomentBefore, money } from '../format.ts';
import { Empty } from '../parts/message.tsx';
import { type Account, type Lot, nextExpiringLot, remainingLots } from './hour-entry.rules.ts';
import { t } from './hours-texts.ts';
import './hours.css';

const lastDay = (expires_at: string): string => date(lastMomentBefore(expires_at));

/** The balance of an account with its unit, and the hours that expire soon. */
export const BalanceLine = ({ balance, lots }: Pick<Account, 'balance' | 'lots'>) => {
  const isOwed = Number(balance) < 0;
  const soon = nextExpiringLot(lots, now.value);
  return (
    <>
      <p>
        {isOwed ? t.beforeOwed : t.beforeLeft}
        <strong class={`large number${isOwed ? ' owed' : ''}`}>{hours(balance.replace('-', ''))}</strong>{' '}
        {isOwed ? t.owed(-Number(balance)) : t.hoursLeft(Number(balance))}
      </p>
      {soon?.expires_at && <p class="small warn-text">{t.expiring(hours(soon.remaining), lastDay(soon.expires_at))}</p>}
    </>
  );
};

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
        <strong>{package_title ?? (kind === 'gift' ? t.gift : price_minor === 0 ? t.added : t.paid)}</strong>
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

interface BalanceProps extends Pick<Account, 'balance' | 'lots'> {
  /** Shown to a person without any hours. */
  noLotsWhy: string;
}

/** The balance of an account, and its lots with hours left. */
export const Balance = ({ balance, lots, noLotsWhy }: BalanceProps) => {
  const { left, empty } = remainingLots(lots);
  return (
    <>
      <BalanceLine balance={balance} lots={lots} />
      {lots.length === 0 ? (
        <Empty title={t.noLots}>{noLotsWhy}</Empty>
      ) : (
        <ul class="lots" aria-label={t.bought}>
          {left.map((lot) => (
            <LotRow key={lot.id} lot={lot} />
          ))}
          {empty > 0 && <li class="small muted">{t.emptyLots(empty)}</li>}
        </ul>
      )}
    </>
  );
};
