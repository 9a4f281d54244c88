import { type Clazz, Problem } from '@teaching/contracts';
import { type Caller, isSupervisor } from '@teaching/kit';

type Status = Clazz['status'];
export type Transition = 'activate' | 'complete' | 'reopen' | 'cancel' | 'delete';

/** Every allowed change of state (rules, part 4). */
const MOVES: Record<Transition, { from: readonly Status[]; to: Status | 'deleted' }> = {
  activate: { from: ['draft'], to: 'active' },
  complete: { from: ['active'], to: 'completed' },
  reopen: { from: ['completed'], to: 'active' },
  cancel: { from: ['draft', 'active'], to: 'cancelled' },
  delete: { from: ['draft'], to: 'deleted' },
};

/** Any other move is 409 `invalid_transition`, naming both states. */
export const requireTransition = (status: Status, move: Transition): void => {
  const { from, to } = MOVES[move];
  if (from.includes(status)) return;
  throw new Problem('invalid_transition', {
    detail: `A class cannot go from ${status} to ${to}`,
    members: { from: status, to },
  });
};

/** The lead is not also an assistant, and no assistant appears twice. */
export const checkAssistants = (lead_teacher_id: string, teacher_ids: readonly string[]): void => {
  const errors = teacher_ids.flatMap((id, index) => {
    const path = `/body/teacher_ids/${index}`;
    if (id === lead_teacher_id) return [{ path, message: 'is the lead teacher' }];
    return teacher_ids.indexOf(id) < index ? [{ path, message: 'appears twice in the list' }] : [];
  });
  if (errors.length > 0) throw new Problem('invalid_request', { errors });
};

/** Another lead teacher is for supervisors to say. */
export const requireHandOver = (caller: Caller): void => {
  if (isSupervisor(caller)) return;
  throw new Problem('forbidden', 'Only a supervisor may give the class to another lead teacher');
};

/** A class does not end before it starts. */
export const checkDays = ({ starts_on, ends_on }: Pick<Clazz, 'starts_on' | 'ends_on'>): void => {
  if (starts_on !== null && ends_on !== null && ends_on < starts_on) {
    throw new Problem('invalid_request', { errors: [{ path: '/body/ends_on', message: 'is before starts_on' }] });
  }
};
