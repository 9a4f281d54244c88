import { useState } from 'preact/hooks';
import { useAddress } from '../shared/address.ts';
import { date, day, lastMomentBefore } from '../shared/format.ts';
import { BalanceLine } from '../shared/hours/balance.tsx';
import { useAccount } from '../shared/hours/hours.state.ts';
import { QueryView } from '../shared/parts/query-view.tsx';
import { PlanTile } from './check-in.tsx';
import { isCheckInOpen } from './check-in.rules.ts';
import type { Child } from './child.rules.ts';
import type { Leave } from './lesson-days.rules.ts';
import { Figures } from './figures.tsx';
import { MakeUpDialog } from './make-up-dialog.tsx';
import { common } from '../shared/common-texts.ts';
import { t } from './family-texts.ts';
import type { ChildToDo } from './to-do.state.ts';

const Name = ({ child, isNamed }: { child: Child; isNamed: boolean }) =>
  isNamed ? <p class="child small">{child.name}</p> : null;

/** The most make-ups shown here; the others are listed under “Leave”. */
const MAX_SHOWN = 2;

/** The make-ups that can be chosen. */
const Credits = ({ toDo: { child, credits }, isNamed }: { toDo: ChildToDo; isNamed: boolean }) => {
  const { address } = useAddress();
  const [chosen, setChosen] = useState<Leave>();
  return (
    <section class="card tile">
      <Name child={child} isNamed={isNamed} />
      {credits.slice(0, MAX_SHOWN).map((leave) => (
        <div class="credit" key={leave.id}>
          <div>
            <p>{t.makeUpFor(t.bracketed(leave.clazz_name, day(leave.lesson_starts_at)))}</p>
            {leave.make_up && (
              <p class="muted small">{t.goodUntil(date(lastMomentBefore(leave.make_up.expires_at)))}</p>
            )}
          </div>
          <button
            type="button"
            class="button"
            aria-label={common.labelled(t.choose, t.bracketed(leave.clazz_name, day(leave.lesson_starts_at)))}
            onClick={() => setChosen(leave)}
          >
            {t.choose}
          </button>
        </div>
      ))}
      {credits.length > MAX_SHOWN && (
        <a class="small" href={address({ tab: 'leave' })}>
          {t.moreCredits(credits.length - MAX_SHOWN)}
        </a>
      )}
      {chosen && <MakeUpDialog child={child} leave={chosen} onClose={() => setChosen(undefined)} />}
    </section>
  );
};

const Balance = ({ child, isNamed }: { child: Child; isNamed: boolean }) => {
  const account = useAccount(child.id);
  const { address } = useAddress();
  return (
    <section class="card tile balance">
      <Name child={child} isNamed={isNamed} />
      <QueryView query={account} rows={2}>
        {({ balance, lots }) => (
          <>
            <BalanceLine balance={balance} lots={lots} />
            <Figures child={child} />
            <a class="small" href={address({ tab: 'hours', child: child.id })}>
              {t.why}
            </a>
          </>
        )}
      </QueryView>
    </section>
  );
};

/** A link to today's check-in, for phones, where the tasks are below the lessons. */
export const CheckInLink = ({ all }: { all: readonly ChildToDo[] }) => {
  const { address } = useAddress();
  if (!all.some(({ child, plans }) => child.isSelf && plans.some(isCheckInOpen))) return null;
  return (
    <a class="button check-in-link" href={address({ tab: 'practice' })}>
      {t.toCheckIn}
    </a>
  );
};

/** The open tasks of all children: check-ins and make-ups. */
export const ToDo = ({ all }: { all: readonly ChildToDo[] }) => {
  const isNamed = all.length > 1;
  return (
    <div class="tiles todo">
      {all.map(({ child, plans }) =>
        plans.map((active) => (
          <PlanTile key={`${child.id} ${active.plan.id}`} child={child} running={active} isNamed={isNamed} />
        )),
      )}
      {all.map((toDo) => toDo.credits.length > 0 && <Credits key={toDo.child.id} toDo={toDo} isNamed={isNamed} />)}
    </div>
  );
};

/** The balance and the figures of each child. */
export const Overview = ({ children }: { children: readonly Child[] }) => (
  <div class="tiles standing">
    {children.map((child) => (
      <Balance key={child.id} child={child} isNamed={children.length > 1} />
    ))}
  </div>
);
