import type { ListedLeave } from '@teaching/contracts';
import { useId, useState } from 'preact/hooks';
import { common } from '../shared/common-texts.ts';
import { dayTime, hours, times } from '../shared/format.ts';
import { Failure } from '../shared/parts/message.tsx';
import { Avatar } from '../shared/parts/avatar.tsx';
import {
  type Decision,
  decideLeave,
  decidedLeaves,
  type HeldDecision,
  heldDecisions,
  holdDecision,
} from './leave-decision.state.ts';
import { t } from './today-texts.ts';
import type { Today } from './today.state.ts';
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

const nameOf = ({ student_name, student_id }: ListedLeave): string => student_name ?? student_id;

const ReasonForm = ({ leave, held }: { leave: ListedLeave; held: HeldDecision }) => {
  const [reason, setReason] = useState('');
  const field = useId();
  return (
    <form
      class="ask"
      onSubmit={(event) => {
        event.preventDefault();
        decideAndMoveFocus(leave, held.decision, reason.trim());
      }}
    >
      {held.error !== undefined && <Failure error={held.error} />}
      <label class="field" for={field}>
        <span>{t.reason}</span>
        <input
          id={field}
          value={reason}
          maxLength={1_000}
          required={held.needsReason}
          ref={(input) => input?.focus()}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
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

const Facts = ({ leave: { approval, quota, in_time } }: { leave: ListedLeave }) => {
  const charge = approval?.charge_hours;
  return (
    <ul class="facts">
      {charge !== undefined && (
        <li class={Number(charge) > 0 ? 'badge warn' : 'badge'}>
          {Number(charge) > 0 ? t.charges(hours(charge)) : t.chargesNone}
        </li>
      )}
      {!in_time && <li class="badge warn">{t.askedLate}</li>}
      {quota !== undefined && (
        <li class={quota.limit !== null && quota.used > quota.limit ? 'badge bad' : 'badge'}>
          {quota.limit === null ? t.quotaNone(quota.used) : t.quota(quota.used, quota.limit)}
        </li>
      )}
    </ul>
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
        <Facts leave={leave} />
      </div>
      {held === undefined ? (
        <div class="acts">
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
    .filter(({ id }) => !decidedLeaves.value.has(id))
    .toSorted((a, b) => a.lesson_starts_at.localeCompare(b.lesson_starts_at));

/** The list of leave to decide, with buttons for each decision. */
export const LeaveList = ({ query }: { query: Today['leave'] }) => (
  <DecisionList
    id={TITLE}
    title={t.leave}
    query={query}
    shown={undecidedLeaves}
    none={t.noLeave}
    keyOf={({ id }) => id}
  >
    {(leave) => <LeaveRow leave={leave} />}
  </DecisionList>
);
