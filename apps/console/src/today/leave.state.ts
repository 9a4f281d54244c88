import { signal } from '@preact/signals';
import type { ListedLeave } from '@teaching/contracts';
import { isProblem } from '@teaching/client/browser';
import { api } from '../shared/api.ts';
import { changed } from '../shared/ask.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { whatToDo } from '../shared/problem-texts.ts';
import { t } from './texts.ts';

export type Decision = 'approve' | 'reject';

/** Why a leave is still to decide though it was tried: a reason is wanted, or what was answered. */
export interface Held {
  decision: Decision;
  needsReason: boolean;
  error?: unknown;
}

/** Decided here, and not in the list any more, whatever it says until it is asked again. */
export const decided = signal<ReadonlySet<string>>(new Set());
/** By leave. */
export const held = signal<ReadonlyMap<string, Held>>(new Map());

const setDecided = (id: string, isDecided: boolean): void => {
  const next = new Set(decided.value);
  if (isDecided) next.add(id);
  else next.delete(id);
  decided.value = next;
};

/** Asks before it is decided, or not any more. */
export const hold = (id: string, why: Held | null): void => {
  const next = new Map(held.value);
  if (why === null) next.delete(id);
  else next.set(id, why);
  held.value = next;
};

const OUTDATED = ['leave', 'lesson', 'roll_call', 'account'] as const;

const takeBack = async ({ id, student_id, student_name }: ListedLeave): Promise<void> => {
  const name = student_name ?? student_id;
  try {
    await api.cancelLeave({ path: { id } });
    toast(t.takenBack(name));
  } catch (error) {
    toast(whatToDo(error));
  }
  changed(...OUTDATED);
};

/** Decides at once, as far as one sees; when it is refused, the leave is back, with what to do. */
export const decide = async (leave: ListedLeave, decision: Decision, reason: string): Promise<void> => {
  const { id, student_id, student_name } = leave;
  const name = student_name ?? student_id;
  hold(id, null);
  setDecided(id, true);
  try {
    const request = { path: { id }, body: reason === '' ? {} : { reason } };
    await (decision === 'approve' ? api.approveLeave(request) : api.rejectLeave(request));
    if (decision === 'approve') toast(t.approved(name), { label: t.takeBack, run: () => takeBack(leave) });
    else toast(t.rejected(name));
  } catch (error) {
    setDecided(id, false);
    const needsReason = isProblem(error, 'already_attended') || isProblem(error, 'edit_window_over');
    hold(id, { decision, needsReason, error });
  }
  changed(...OUTDATED);
};
