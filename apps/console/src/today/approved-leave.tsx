import type { ListedLeave } from '@teaching/contracts';
import type { ComponentChildren } from 'preact';
import { api } from '../shared/api.ts';
import { orgZone } from '../shared/format.ts';
import { ActionButton } from '../shared/parts/action-button.tsx';
import { useRows } from '../shared/row-query.ts';
import { rangeOf } from '../shared/zone.rules.ts';
import { DecisionList } from './decision-list.tsx';
import { isAhead, nameOf, reopenLeave } from './leave-decision.state.ts';
import { LeaveSummary } from './leave-summary.tsx';
import { t } from './today-texts.ts';

/** The decision of a leave: the person and the reason. */
export const Decided = ({ leave: { decided_by, decided_by_name, decision_reason } }: { leave: ListedLeave }) => (
  <span class="muted">
    {decided_by === null ? t.approvedAtOnce : t.decidedBy(decided_by_name ?? decided_by)}
    {decision_reason !== null && t.because(decision_reason)}
  </span>
);

const ApprovedRow = ({ leave }: { leave: ListedLeave }) => {
  return (
    <div class="waiting leave">
      <LeaveSummary leave={leave}>
        <Decided leave={leave} />
      </LeaveSummary>
      {isAhead(leave) && (
        <div class="acts">
          <ActionButton kind="quiet" label={t.reopenWhom(nameOf(leave))} run={() => reopenLeave(leave)}>
            {t.reopen}
          </ActionButton>
        </div>
      )}
    </div>
  );
};

const byLesson = (leaves: readonly ListedLeave[]): ListedLeave[] =>
  leaves.toSorted((a, b) => a.lesson_starts_at.localeCompare(b.lesson_starts_at));

interface ApprovedLeaveProps {
  id: string;
  /** The local date from which on leave is listed. */
  today: string;
  choice: ComponentChildren;
}

/** The approved leave from today on, the earliest lesson first. */
export const ApprovedLeaveList = ({ id, today, choice }: ApprovedLeaveProps) => {
  const { from } = rangeOf(today, 1, orgZone());
  const leave = useRows(
    `approved leave ${from}`,
    (cursor, signal) => api.listLeaves({ query: { status: 'approved', from, limit: '100', cursor } }, { signal }),
    { kinds: ['leave', 'lesson', 'clazz', 'member'] },
    { all: true },
  );
  return (
    <DecisionList
      id={id}
      title={t.approvedLeave}
      query={leave}
      shown={byLesson}
      none={t.noApprovedLeave}
      choice={choice}
      keyOf={(row) => row.id}
    >
      {(row) => <ApprovedRow leave={row} />}
    </DecisionList>
  );
};
