import { useAddress } from '../shared/address.ts';
import { Balance } from '../shared/hours/balance.tsx';
import { HourHistory } from '../shared/hours/hour-history.tsx';
import { useAccount } from '../shared/hours/hours.state.ts';
import { t as hoursText } from '../shared/hours/hours-texts.ts';
import { QueryView } from '../shared/parts/query-view.tsx';
import type { Child } from './child.rules.ts';
import { ChildCard } from './child-card.tsx';
import { t } from './family-texts.ts';

/** The balance of one child, its lots and its entries. For several children it links to the entries of each. */
export const HoursOf = ({ child, isNamed }: { child: Child; isNamed: boolean }) => {
  const account = useAccount(child.id);
  const { address } = useAddress();
  return (
    <div class={isNamed ? '' : 'hours'}>
      <ChildCard title={t.hoursTitle} child={child} isNamed={isNamed}>
        <div class="inside">
          <QueryView query={account} rows={4}>
            {({ balance, lots }) => <Balance balance={balance} lots={lots} noLotsWhy={t.noLotsWhy} />}
          </QueryView>
          {isNamed && (
            <a class="small" href={address({ child: child.id })}>
              {t.why}
            </a>
          )}
        </div>
      </ChildCard>
      {!isNamed && (
        <ChildCard title={hoursText.history} child={child} isNamed={false}>
          <HourHistory student_id={child.id} />
        </ChildCard>
      )}
    </div>
  );
};
