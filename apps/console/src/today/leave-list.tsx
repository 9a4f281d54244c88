import type { ListedLeave } from '@teaching/contracts';
import { common } from '../shared/common-texts.ts';
import { useDraft } from '../shared/draft.ts';
import { useOpenState } from '../shared/open-state.ts';
import { RestoredDraft } from '../shared/parts/restored-draft.tsx';
import { Failure } from '../shared/parts/message.tsx';
import { Segments } from '../shared/parts/segments.tsx';
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
import { LeaveSummary } from './leave-summary.tsx';
import { t } from './today-texts.ts';
import type { DayChoice, Today } from './today.state.ts';
import { DecisionList } from './decision-list.tsx';

const TITLE = 'leave';

/** After a decision the next row moves under the pointer, so a double click must not decide it, too. */
const DOUBLE_MS = 400;
let lastDecisionAt = -Infinity;

/** The row disappears, so the focus moves to the heading of the list. */
const decideAndMoveFocus = (leave: ListedLeave, decision: Decision, reason: string): Promise<boolean> => {
  lastDecisionAt = performance.now();
  document.querySelector<HTMLElement>(`#${TITLE}`)?.focus({ preventScroll: true });
  return decideLeave(leave, decision, reason);
};

interface ReasonFormProps {
  leave: ListedLeave;
  held: HeldDecision;
  onClose: () => void;
}

const ReasonForm = ({ leave, held, onClose }: ReasonFormProps) => {
  const draft = useDraft(`decision ${leave.id}`, { reason: '' });
  const { reason } = draft.values;
  const cancel = (): void => {
    draft.clear();
    holdDecision(leave.id, null);
    onClose();
  };
  return (
    <form
      class="ask"
      onSubmit={(event) => {
        event.preventDefault();
        onClose();
        void decideAndMoveFocus(leave, held.decision, reason.trim()).then((isDecided) => isDecided && draft.clear());
      }}
    >
      <RestoredDraft draft={draft} />
      {held.error !== undefined && <Failure error={held.error} />}
      <ReasonField
        label={held.needsReason ? t.requiredReason : t.decisionReason}
        value={reason}
        onValue={(typed) => draft.put({ reason: typed })}
        required={held.needsReason}
        hasFocus
      />
      <div class="acts">
        <button type="button" class="button quiet" onClick={cancel}>
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
  const [asked, setAsked] = useOpenState<Decision | null>(`decision ${leave.id}`, null);
  const held =
    heldDecisions.value.get(leave.id) ?? (asked === null ? undefined : { decision: asked, needsReason: false });
  const name = nameOf(leave);
  return (
    <div class="waiting leave">
      <LeaveSummary leave={leave}>
        <LeaveFacts charge_hours={leave.approval?.charge_hours} in_time={leave.in_time} quota={leave.quota} />
      </LeaveSummary>
      {held === undefined ? (
        <div class="acts">
          <button
            type="button"
            class="button quiet"
            aria-label={t.addNoteFor(name)}
            onClick={() => setAsked('approve')}
          >
            {t.addNote}
          </button>
          <button type="button" class="button quiet" aria-label={t.rejectWhom(name)} onClick={() => setAsked('reject')}>
            {t.reject}
          </button>
          <button
            type="button"
            class="button main"
            aria-label={t.approveWhom(name)}
            onClick={() => {
              if (performance.now() - lastDecisionAt > DOUBLE_MS) void decideAndMoveFocus(leave, 'approve', '');
            }}
          >
            {t.approve}
          </button>
        </div>
      ) : (
        <ReasonForm leave={leave} held={held} onClose={() => setAsked(null)} />
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
