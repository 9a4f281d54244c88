import { signal } from '@preact/signals';
import type { ListedLeave } from '@teaching/contracts';
import { isProblem } from '@teaching/client/browser';
import { api } from '../shared/api.ts';
import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import { hours } from '../shared/format.ts';
import { refreshLeave } from '../shared/refresh-leave.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { isReasonRefused, remedyOf } from '../shared/problem-texts.ts';
import { t } from './today-texts.ts';

export type Decision = 'approve' | 'reject';

/** Why a leave is still undecided: a reason is asked for, or the decision was refused. */
export interface HeldDecision {
  decision: Decision;
  needsReason: boolean;
  error?: unknown;
}

/**
 * The versions of leave that this page has decided, by id. Such a row is hidden even if the list still contains it until
 * the next answer. A leave that is reopened has a newer version.
 */
export const decidedVersions = signal<ReadonlyMap<string, number>>(new Map());
/** The held decisions by leave id. */
export const heldDecisions = signal<ReadonlyMap<string, HeldDecision>>(new Map());

const withEntry = <T>(map: ReadonlyMap<string, T>, id: string, value: T | null): ReadonlyMap<string, T> => {
  const next = new Map(map);
  if (value === null) next.delete(id);
  else next.set(id, value);
  return next;
};
const setDecided = (id: string, version: number | null): void => {
  decidedVersions.value = withEntry(decidedVersions.value, id, version);
};

/** Holds a decision open for a reason; null ends that. */
export const holdDecision = (id: string, held: HeldDecision | null): void => {
  heldDecisions.value = withEntry(heldDecisions.value, id, held);
};

export const nameOf = ({ student_name, student_id }: Pick<ListedLeave, 'student_name' | 'student_id'>): string =>
  student_name ?? student_id;

/** Whether the lesson has not begun. Until then a decision can be reopened and leave be withdrawn without a trace. */
export const isAhead = ({ lesson_starts_at }: Pick<ListedLeave, 'lesson_starts_at'>): boolean =>
  Date.parse(lesson_starts_at) > now.value;

/** A decision that the API refused; it accepts some of them with a reason. */
const refusedDecision = (decision: Decision, error: unknown): HeldDecision => ({
  decision,
  needsReason: isProblem(error, 'already_attended') || isReasonRefused(error),
  error,
});

/** Makes a decided leave pending again. */
export const reopenLeave = async (leave: ListedLeave): Promise<void> => {
  try {
    await api.reopenLeave({ path: { id: leave.id } });
    toast(t.reopened(nameOf(leave)));
  } catch (error) {
    toast(remedyOf(error));
  }
  refreshLeave();
};

/**
 * Decides a leave and hides it at once. If the API refuses, the leave is shown again with the refusal, and the result is
 * `false`.
 */
export const decideLeave = async (leave: ListedLeave, decision: Decision, reason: string): Promise<boolean> => {
  const { id, version } = leave;
  holdDecision(id, null);
  setDecided(id, version);
  try {
    const request = { path: { id }, body: reason === '' ? {} : { reason } };
    await (decision === 'approve' ? api.approveLeave(request) : api.rejectLeave(request));
    const text = decision === 'approve' ? t.approved(nameOf(leave)) : t.rejected(nameOf(leave));
    toast(text, isAhead(leave) ? { label: common.undo, run: () => reopenLeave(leave) } : undefined);
    return true;
  } catch (error) {
    setDecided(id, null);
    holdDecision(id, refusedDecision(decision, error));
    return false;
  } finally {
    refreshLeave();
  }
};

/** Withdraws approved leave. */
export const withdrawLeave = async (leave: ListedLeave): Promise<void> => {
  try {
    await api.cancelLeave({ path: { id: leave.id } });
    toast(t.withdrawn(nameOf(leave)));
  } catch (error) {
    toast(remedyOf(error));
  }
  refreshLeave();
};

/**
 * Approves leave that the office has just entered. If the approval is refused, the leave stays in the list to decide,
 * with the refusal. `reason` is empty if the approval needs none.
 */
export const approveEntered = async (leave: ListedLeave, reason: string): Promise<void> => {
  try {
    const request = { path: { id: leave.id }, body: reason === '' ? {} : { reason } };
    const { approval } = leave.status === 'pending' ? (await api.approveLeave(request)).data : leave;
    const undo = isAhead(leave) ? { label: common.undo, run: () => withdrawLeave(leave) } : undefined;
    toast(t.entered(nameOf(leave), hours(approval?.charge_hours ?? '0')), undo);
  } catch (error) {
    holdDecision(leave.id, refusedDecision('approve', error));
    toast(t.enteredOnly(nameOf(leave)));
  }
  refreshLeave();
};
