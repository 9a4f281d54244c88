import type { ListedLeave } from '@teaching/contracts';
import { useState } from 'preact/hooks';
import { common } from '../shared/common-texts.ts';
import { dayTime, times } from '../shared/format.ts';
import { Failure } from '../shared/parts/message.tsx';
import { Segments } from '../shared/parts/segments.tsx';
import { Avatar } from '../shared/parts/avatar.tsx';
import {
  type Decision,
  decideLeave,
  decidedVersions,
  type HeldDecision,
  heldDecisions,
  holdDecision,
  nameOf,
} from './leave-decision.state.ts';
import { ApprovedLeaveList } from './approved-leave.tsx';
import { LeaveFacts } from './leave-facts.tsx';
import { ReasonField } from './reason-field.tsx';
import { t } from './today-texts.ts';
import type { DayChoice, Today } from './today.state.ts';
import { DecisionList } from './decision-list.tsx';

const TITLE = 'leave';

/** After a decision the next row moves under the pointer, so a double click must not decide it, too. */
const DOUBLE_MS = 400;
let lastDecisionAt = -Infinity;

/** The row disappears, so the focus moves to the heading of the list. */
const decideAndMoveFocus = (leave: ListedLeave, decision: Decision, reason: string): void => {
  lastDecisionAt = performance.now();
  document.querySelector<HTMLElement>(`#${TITLE}`)?.focus({ preventScroll: true });
  void decideLeave(leave, decision, reason);
};

const ReasonForm = ({ leave, held }: { leave: ListedLeave; held: HeldDecision }) => {
  const [reason, setReason] = useState('');
  return (
    <form
      class="ask"
      onSubmit={(event) => {
        event.preventDefault();
        decideAndMoveFocus(leave, held.decision, reason.trim());
      }}
    >
      {held.error !== undefined && <Failure error={held.error} />}
      <ReasonField label={t.decisionReason} value={reason} onValue={setReason} required={held.needsReason} hasFocus />
      <div class="acts">
        <button type="button" class="button quiet" onClick={() => holdDecision(leave.id, null)}>
          {common.cancel}
        </button>
        <button type="submit" class={held.decision === 'approve' ? 'button main' : 'button danger'}>
          {held.decision === 'reject' ? t.reject : held.needsReason ? t.approveAnyway : t.approve}
        </button>
      </div>
    </form>
  );
};

const LeaveRow = ({ leave }: { leave: ListedLeave }) => {
  const held = heldDecisions.value.get(leave.id);
  const name = nameOf(leave);
  return (
    <div class="waiting leave">
      <Avatar name={name} />
      <div class="what">
        <strong>{name}</strong>
        <span class="muted">
          {leave.clazz_name} · {dayTime(leave.lesson_starts_at)}
          <span class="visually-hidden"> ({times(leave.lesson_starts_at, leave.lesson_ends_at)})</span>
        </span>
        {leave.reason !== '' && <q>{leave.reason}</q>}
        <LeaveFacts charge_hours={leave.approval?.charge_hours} in_time={leave.in_time} quota={leave.quota} />
      </div>
      {held === undefined ? (
        <div class="acts">
          <button
            type="button"
            class="button quiet"
            aria-label={t.addNoteFor(name)}
            onClick={() => holdDecision(leave.id, { decision: 'approve', needsReason: false })}
          >
            {t.addNote}
          </button>
          <button
            type="button"
            class="button quiet"
            aria-label={t.rejectWhom(name)}
            onClick={() => holdDecision(leave.id, { decision: 'reject', needsReason: false })}
          >
            {t.reject}
          </button>
          <button
            type="button"
            class="button main"
            aria-label={t.approveWhom(name)}
            onClick={() => {
              if (performance.now() - lastDecisionAt > DOUBLE_MS) decideAndMoveFocus(leave, 'approve', '');
            }}
          >
            {t.approve}
          </button>
        </div>
      ) : (
        <ReasonForm leave={leave} held={held} />
      )}
    </div>
  );
};

/** The undecided leave, the earliest lesson first. */
export const undecidedLeaves = (items: readonly ListedLeave[]): ListedLeave[] =>
  items
    .filter(({ id, version }) => decidedVersions.value.get(id) !== version)
    .toSorted((a, b) => a.lesson_starts_at.localeCompare(b.lesson_starts_at));

const LEAVE_SHOWN = ['pending', 'approved'] as const;

/** The leave to decide with buttons for each decision, or the approved leave from today on. */
export const LeaveList = ({ query, chosen }: { query: Today['leave']; chosen: DayChoice }) => {
  const choice = (
    <Segments
      label={t.leaveShown}
      value={chosen.leave}
      options={LEAVE_SHOWN.map((shown) => [shown, shown === 'pending' ? t.toDecide : t.approvedOnly] as const)}
      onChange={chosen.chooseLeave}
    />
  );
  return chosen.leave === 'approved' ? (
    <ApprovedLeaveList id={TITLE} today={chosen.today} choice={choice} />
  ) : (
    <DecisionList
      id={TITLE}
      title={t.leaveToDecide}
      query={query}
      shown={undecidedLeaves}
      none={t.noLeave}
      choice={choice}
      keyOf={({ id }) => id}
    >
      {(leave) => <LeaveRow leave={leave} />}
    </DecisionList>
  );
};
