import type { hourCalls, Output } from '@teaching/contracts';
import { api } from '../shared/api.ts';
import { useQuery } from '../shared/query.ts';
import { date, hours, lastMomentBefore, money } from '../shared/format.ts';
import { QueryView } from '../shared/parts/query-view.tsx';
import { Dialog } from '../shared/parts/dialog.tsx';
import { GrantForm } from './grant-form.tsx';
import { t } from './today-texts.ts';

type Lot = Output<typeof hourCalls.getHourAccount>['lots'][number];

const LotRow = ({ lot }: { lot: Lot }) => {
  const { remaining, granted, expires_at, price_minor, currency } = lot;
  return (
    <li class="lot">
      <div>
        <strong>{lot.package_title ?? (lot.kind === 'gift' ? t.gift : t.paid)}</strong>
        <span class="number">{t.ofGranted(hours(remaining), hours(granted))}</span>
      </div>
      <progress aria-hidden="true" value={Number(remaining)} max={Number(granted)} />
      <div class="small muted">
        <span>{expires_at === null ? t.forEver : t.until(date(lastMomentBefore(expires_at)))}</span>
        {price_minor !== null && price_minor > 0 && currency !== null && <span>{money(price_minor, currency)}</span>}
      </div>
    </li>
  );
};

/** The lots with hours left, the earliest expiry first. */
const openLots = (lots: readonly Lot[]): Lot[] =>
  lots
    .filter(({ remaining }) => Number(remaining) > 0)
    .toSorted((a, b) => (a.expires_at ?? '~').localeCompare(b.expires_at ?? '~'));

/** The hour account of a student: balance, lots and a form to grant hours. */
export const AccountDialog = ({ student_id, onClose }: { student_id: string; onClose: () => void }) => {
  const account = useQuery(
    `account ${student_id}`,
    async (signal) => (await api.getHourAccount({ path: { student_id } }, { signal })).data,
    { kinds: ['account'], isAbout: ({ user_ids }) => user_ids.length === 0 || user_ids.includes(student_id) },
  );
  const name = account.data.value?.student_name ?? student_id;
  return (
    <Dialog title={account.data.value === undefined ? t.hours : t.account(name)} onClose={onClose}>
      <div class="body account">
        <QueryView query={account} rows={5}>
          {({ balance, lots }) => {
            const open = openLots(lots);
            return (
              <>
                <p class="balance">
                  <strong class={Number(balance) < 0 ? 'number owing' : 'number'}>{hours(balance)}</strong>{' '}
                  <span class="muted">{t.balance}</span>
                </p>
                <h3>{t.lots}</h3>
                {open.length === 0 ? (
                  <p class="muted">{t.noLots}</p>
                ) : (
                  <ul class="lots">
                    {open.map((lot) => (
                      <LotRow key={lot.id} lot={lot} />
                    ))}
                  </ul>
                )}
              </>
            );
          }}
        </QueryView>
      </div>
      <GrantForm student_id={student_id} name={name} onGranted={onClose} />
    </Dialog>
  );
};
