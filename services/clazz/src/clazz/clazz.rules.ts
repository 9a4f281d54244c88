import { type Clazz, Problem } from '@teaching/contracts';
import { type Caller, isSupervisor } from '@teaching/kit';

type Status = Clazz['status'];
export type Transition = 'activate' | 'complete' | 'reopen' | 'cancel' | 'delete';

/** The allowed transitions between the states of a class (domain rules, section 4). */
const TRANSITIONS: Record<Transition, { from: readonly Status[]; to: Status | 'deleted' }> = {
  activate: { from: ['draft'], to: 'active' },
  complete: { from: ['active'], to: 'completed' },
  reopen: { from: ['completed'], to: 'active' },
  cancel: { from: ['draft', 'active'], to: 'cancelled' },
  delete: { from: ['draft'], to: 'deleted' },
};

/** Refuses a transition that is not allowed: 409 `invalid_transition`, naming both states. */
export const requireTransition = (status: Status, transition: Transition): void => {
  const { from, to } = TRANSITIONS[transition];
  if (from.includes(status)) return;
  throw new Problem('invalid_transition', {
    detail: `A class cannot go from ${status} to ${to}`,
    members: { from: status, to },
  });
};

/** Refuses the lead teacher as an assistant: 400. */
export const checkAssistants = (lead_teacher_id: string, teacher_ids: readonly string[]): void => {
  const index = teacher_ids.indexOf(lead_teacher_id);
  if (index < 0) return;
  const errors = [{ path: `/body/teacher_ids/${index}`, message: 'is the lead teacher' }];
  throw new Problem('invalid_request', { errors });
};

/** Only a supervisor may give a class to another lead teacher: 403 for other callers. */
export const requireHandOver = (caller: Caller): void => {
  if (isSupervisor(caller)) return;
  throw new Problem('forbidden', 'Only a supervisor may give the class to another lead teacher');
};

/** Refuses a last day before the first day: 400. */
export const checkDays = ({ starts_on, ends_on }: Pick<Clazz, 'starts_on' | 'ends_on'>): void => {
  if (starts_on !== null && ends_on !== null && ends_on < starts_on) {
    throw new Problem('invalid_request', {
      errors: [{ path: '/body/ends_on', message: 'must not be before starts_on' }],
    });
  }
};
