import type { hourCalls, Output, packageCalls, Request } from '@teaching/contracts';
import { rowsOf } from '@teaching/client/browser';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { invalidateKinds, useQuery } from '../shared/query.ts';
import { hours as formatHours, orgZone } from '../shared/format.ts';
import { toDecimal } from '../shared/decimal.rules.ts';
import { DecimalInput } from '../shared/parts/decimal-input.tsx';
import { Failure } from '../shared/parts/message.tsx';
import { useIdempotentWrite } from '../shared/use-idempotent-write.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { me } from '../shared/session.ts';
import { rangeOf } from '../shared/zone.rules.ts';
import { minorUnits } from './today.rules.ts';
import { t } from './today-texts.ts';

type Package = Output<typeof packageCalls.listPackages>['items'][number];
type Grant = Request<typeof hourCalls.grantHours>['body'];

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

/** Grants hours to a student, by package or by hand. */
export const GrantForm = ({
  student_id,
  name,
  onGranted,
}: {
  student_id: string;
  name: string;
  onGranted: () => void;
}) => {
  const packages = usePackages().data.value ?? [];
  const [package_id, setPackage] = useState('');
  const [hours, setHours] = useState('');
  const [price, setPrice] = useState('');
  const [until, setUntil] = useState('');
  const once = useIdempotentWrite();
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const bought = packages.find(({ id }) => id === package_id);
  const currency = bought?.currency ?? me.value?.policy.currency ?? null;
  const price_minor = currency === null ? undefined : minorUnits(price, digitsOf(currency));

  const choose = (id: string): void => {
    setPackage(id);
    const found = packages.find((row) => row.id === id);
    if (found !== undefined && Number(found.total_hours) > 0) setHours(String(Number(found.total_hours)));
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
      await once((key) => api.grantHours({ body }, key));
      toast(t.granted(formatHours(String(body.hours)), name));
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
            <DecimalInput min={0.01} max={10_000} places={2} required value={hours} onValue={setHours} />
          </Field>
          {currency !== null && (
            <Field label={t.price(currency)} {...(package_id === '' ? {} : { hint: t.priceHint })}>
              <DecimalInput min={0} max={MAX_PRICE} places={digitsOf(currency)} value={price} onValue={setPrice} />
            </Field>
          )}
          <Field label={t.expiresOn} hint={t.expiryHint}>
            <input type="date" value={until} onInput={(event) => setUntil(event.currentTarget.value)} />
          </Field>
        </div>
      </div>
      <footer>
        <button type="submit" class="button main" aria-busy={state.isBusy} disabled={state.isBusy}>
          {t.grant}
        </button>
      </footer>
    </form>
  );
};
