import type { hourCalls, Output, Request } from '@teaching/contracts';
import { rowsOf } from '@teaching/client/browser';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import { useDraft } from '../shared/draft.ts';
import { invalidateKinds, useQuery } from '../shared/query.ts';
import { hours as formatHours, localDate, money, orgZone } from '../shared/format.ts';
import { type Account, coveredDebt } from '../shared/hours/hour-entry.rules.ts';
import { isDecimalIn, toDecimal } from '../shared/decimal.rules.ts';
import { DecimalInput } from '../shared/parts/decimal-input.tsx';
import { Failure } from '../shared/parts/message.tsx';
import { RestoredDraft } from '../shared/parts/restored-draft.tsx';
import { useIdempotentWrite } from '../shared/use-idempotent-write.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { me } from '../shared/session.ts';
import { addDays, localOf, rangeOf } from '../shared/zone.rules.ts';
import { minorUnits, type Package, packagePrice } from './today.rules.ts';
import { t } from './today-texts.ts';
import { undoNewGrant } from './undo-grant.tsx';

type Grant = Request<typeof hourCalls.grantHours>['body'];
type Granted = Output<typeof hourCalls.grantHours>;

/** The text about a grant, from the answer of the API. */
const grantedText = ({ granted, price_minor, currency, package_title }: Granted, name: string): string =>
  t.granted(
    formatHours(granted),
    name,
    price_minor > 0 && currency !== null ? money(price_minor, currency) : null,
    package_title,
  );

/**
 * The undo of a grant in its message. None if its hours covered a debt, because such a grant cannot be undone, nor for a
 * sale: its undo books a refund, which the history names and asks about.
 */
const undoOf = ({ id, granted, remaining, price_minor }: Granted) =>
  remaining === granted && price_minor === 0 ? { label: common.undo, run: () => undoNewGrant(id) } : undefined;

/** The published packages. */
const usePackages = () =>
  useQuery(
    'packages to buy',
    async (signal): Promise<Package[]> => {
      const found: Package[] = [];
      const list = (cursor: string | undefined) =>
        api.listPackages({ query: { sort: 'title', limit: '100', cursor } }, { signal });
      for await (const row of rowsOf(list)) if (row.published_at !== null) found.push(row);
      return found;
    },
    { kinds: ['package'] },
  );

const Field = ({ label, hint, children }: { label: string; hint?: string; children: ComponentChildren }) => (
  <label class="field">
    <span>{label}</span>
    {children}
    {hint !== undefined && <small class="muted">{hint}</small>}
  </label>
);

const digitsOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;

/** The highest price that the form takes, in whole units of the currency. */
const MAX_PRICE = 999_999_999;
/** The hours of one grant, as the API limits them. */
const HOURS = { min: 0.01, max: 10_000, places: 2 };

/** Package, price and validity of the grant, shown before it is made. */
const Booking = ({
  bought,
  price,
  until,
  debt,
}: {
  bought: Package | undefined;
  price: string | null;
  until: string;
  debt: ReturnType<typeof coveredDebt>;
}) => {
  const days = bought?.validity_days ?? null;
  const last = until !== '' || days === null ? until : addDays(localOf(now.value, orgZone()).date, days);
  return (
    <p class="small" role="status">
      {[
        bought?.title ?? t.withoutPackage,
        price ?? t.withoutPrice,
        last === '' ? t.forEver : t.until(localDate(last)),
        ...(debt === undefined ? [] : [t.coversDebt(formatHours(debt.covered), formatHours(debt.owed))]),
      ].join(' · ')}
    </p>
  );
};

/** Grants hours to a student, by package or by hand. */
export const GrantForm = ({
  student_id,
  name,
  account,
  onGranted,
}: {
  student_id: string;
  name: string;
  /** Undefined until it is known. */
  account: Account | undefined;
  onGranted: () => void;
}) => {
  const packages = usePackages().data.value ?? [];
  const draft = useDraft(`grant ${student_id}`, { package_id: '', hours: '', price: '', until: '' });
  const { package_id, hours, price, until } = draft.values;
  const once = useIdempotentWrite();
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const bought = packages.find(({ id }) => id === package_id);
  const currency = bought?.currency ?? me.value?.policy.currency ?? null;
  const price_minor = currency === null ? undefined : minorUnits(price, digitsOf(currency));

  const amount = hours !== '' && isDecimalIn(hours, HOURS) ? toDecimal(hours) : undefined;
  const booked_minor = price_minor ?? (bought === undefined || amount === undefined ? 0 : packagePrice(bought, amount));
  const priceText = booked_minor > 0 && currency !== null ? money(booked_minor, currency) : null;

  const choose = (id: string): void => {
    const found = packages.find((row) => row.id === id);
    const total = Number(found?.total_hours ?? 0);
    draft.put({ package_id: id, ...(total > 0 ? { hours: String(total) } : {}) });
  };
  const grant = async (): Promise<void> => {
    setState({ isBusy: true });
    const body: Grant = {
      student_id,
      hours: toDecimal(hours),
      ...(package_id === '' ? {} : { package_id }),
      ...(price_minor == null || currency === null ? {} : { price_minor, currency }),
      ...(until === '' ? {} : { expires_at: rangeOf(until, 1, orgZone()).to }),
    };
    try {
      const { data } = await once((key) => api.grantHours({ body }, key));
      toast(grantedText(data, name), undoOf(data));
      draft.clear();
      invalidateKinds('account');
      onGranted();
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  return (
    <form
      class="grant"
      onSubmit={(event) => {
        event.preventDefault();
        void grant();
      }}
    >
      <div class="body">
        <h3>{t.grant}</h3>
        <RestoredDraft draft={draft} />
        {state.error !== undefined && <Failure error={state.error} />}
        <Field label={t.package}>
          <select value={package_id} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="">{t.noPackage}</option>
            {packages.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </Field>
        <div class="two">
          <Field label={t.hours}>
            <DecimalInput {...HOURS} required value={hours} onValue={(typed) => draft.put({ hours: typed })} />
          </Field>
          {currency !== null && (
            <Field label={t.price(currency)} {...(package_id === '' ? {} : { hint: t.priceHint })}>
              <DecimalInput
                min={0}
                max={MAX_PRICE}
                places={digitsOf(currency)}
                value={price}
                onValue={(typed) => draft.put({ price: typed })}
              />
            </Field>
          )}
          <Field label={t.expiresOn} hint={t.expiryHint}>
            <input
              type="date"
              min={localOf(now.value, orgZone()).date}
              value={until}
              onInput={(event) => draft.put({ until: event.currentTarget.value })}
            />
          </Field>
        </div>
      </div>
      <footer>
        {amount !== undefined && price_minor !== null && (
          <Booking bought={bought} price={priceText} until={until} debt={account && coveredDebt(account, amount)} />
        )}
        <button type="submit" class="button main" aria-busy={state.isBusy} disabled={state.isBusy}>
          {amount === undefined ? t.grant : t.grantFor(formatHours(amount), priceText)}
        </button>
      </footer>
    </form>
  );
};
