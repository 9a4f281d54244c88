import { signal } from '@preact/signals';
import type { ListedLeave } from '@teaching/contracts';
import { isProblem } from '@teaching/client/browser';
import { api } from '../shared/api.ts';
import { changed } from '../shared/query.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { remedyOf } from '../shared/problem-texts.ts';
import { t } from './today-texts.ts';

export type Decision = 'approve' | 'reject';

/** Why a leave is still to decide though it was tried: a reason is wanted, or what was answered. */
export interface HeldDecision {
  decision: Decision;
  needsReason: boolean;
  error?: unknown;
}

/** Decided here, and not in the list any more, whatever it says until it is asked again. */
export const decided = signal<ReadonlySet<string>>(new Set());
/** By leave. */
export const heldDecisions = signal<ReadonlyMap<string, HeldDecision>>(new Map());

const setDecided = (id: string, isDecided: boolean): void => {
  const next = new Set(decided.value);
  if (isDecided) next.add(id);
  else next.delete(id);
  decided.value = next;
};

/** Asks before it is decided, or not any more. */
export const holdDecision = (id: string, why: HeldDecision | null): void => {
  const next = new Map(heldDecisions.value);
  if (why === null) next.delete(id);
  else next.set(id, why);
  heldDecisions.value = next;
};

const OUTDATED = ['leave', 'lesson', 'roll_call', 'account'] as const;

const takeBack = async ({ id, student_id, student_name }: ListedLeave): Promise<void> => {
  const name = student_name ?? student_id;
  try {
    await api.cancelLeave({ path: { id } });
    toast(t.takenBack(name));
  } catch (error) {
    toast(remedyOf(error));
  }
  changed(...OUTDATED);
};

/** Decides at once, as far as one sees; when it is refused, the leave is back, with what to do. */
export const decideLeave = async (leave: ListedLeave, decision: Decision, reason: string): Promise<void> => {
  const { id, student_id, student_name } = leave;
  const name = student_name ?? student_id;
  holdDecision(id, null);
  setDecided(id, true);
  try {
    const request = { path: { id }, body: reason === '' ? {} : { reason } };
    await (decision === 'approve' ? api.approveLeave(request) : api.rejectLeave(request));
    if (decision === 'approve') toast(t.approved(name), { label: t.takeBack, run: () => takeBack(leave) });
    else toast(t.rejected(name));
  } catch (error) {
    setDecided(id, false);
    const needsReason = isProblem(error, 'already_attended') || isProblem(error, 'edit_window_over');
    holdDecision(id, { decision, needsReason, error });
  }
  changed(...OUTDATED);
};
