import { signal } from '@preact/signals';
import type { ListedLeave } from '@teaching/contracts';
import { isProblem } from '@teaching/client/browser';
import { api } from '../shared/api.ts';
import { invalidateKinds } from '../shared/query.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { remedyOf } from '../shared/problem-texts.ts';
import { t } from './today-texts.ts';

export type Decision = 'approve' | 'reject';

/** Why a leave is still undecided: a reason is required, or the decision was refused. */
export interface HeldDecision {
  decision: Decision;
  needsReason: boolean;
  error?: unknown;
}

/** Leave that was decided on this page. It is hidden even if the list still contains it until the next answer. */
export const decidedLeaves = signal<ReadonlySet<string>>(new Set());
/** The held decisions by leave id. */
export const heldDecisions = signal<ReadonlyMap<string, HeldDecision>>(new Map());

const setDecided = (id: string, isDecided: boolean): void => {
  const next = new Set(decidedLeaves.value);
  if (isDecided) next.add(id);
  else next.delete(id);
  decidedLeaves.value = next;
};

/** Holds a decision open for a reason; null ends that. */
export const holdDecision = (id: string, held: HeldDecision | null): void => {
  const next = new Map(heldDecisions.value);
  if (held === null) next.delete(id);
  else next.set(id, held);
  heldDecisions.value = next;
};

const CHANGED_KINDS = ['leave', 'lesson', 'roll_call', 'account'] as const;

const withdrawApproval = async ({ id, student_id, student_name }: ListedLeave): Promise<void> => {
  const name = student_name ?? student_id;
  try {
    await api.cancelLeave({ path: { id } });
    toast(t.takenBack(name));
  } catch (error) {
    toast(remedyOf(error));
  }
  invalidateKinds(...CHANGED_KINDS);
};

/** Decides a leave and hides it at once. If the API refuses, the leave is shown again with the refusal. */
export const decideLeave = async (leave: ListedLeave, decision: Decision, reason: string): Promise<void> => {
  const { id, student_id, student_name } = leave;
  const name = student_name ?? student_id;
  holdDecision(id, null);
  setDecided(id, true);
  try {
    const request = { path: { id }, body: reason === '' ? {} : { reason } };
    await (decision === 'approve' ? api.approveLeave(request) : api.rejectLeave(request));
    if (decision === 'approve') toast(t.approved(name), { label: t.takeBack, run: () => withdrawApproval(leave) });
    else toast(t.rejected(name));
  } catch (error) {
    setDecided(id, false);
    const needsReason = isProblem(error, 'already_attended') || isProblem(error, 'edit_window_over');
    holdDecision(id, { decision, needsReason, error });
  }
  invalidateKinds(...CHANGED_KINDS);
};
