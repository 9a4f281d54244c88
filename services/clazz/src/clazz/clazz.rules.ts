import { type Clazz, Problem } from '@teaching/contracts';
import { type Caller, isStaff, isSupervisor } from '@teaching/kit';

type Status = Clazz['status'];
export type Move = 'activate' | 'complete' | 'reopen' | 'cancel' | 'delete';

/** Every allowed change of state (rules, part 4). */
const MOVES: Record<Move, { from: readonly Status[]; to: Status | 'deleted' }> = {
  activate: { from: ['draft'], to: 'active' },
  complete: { from: ['active'], to: 'completed' },
  reopen: { from: ['completed'], to: 'active' },
  cancel: { from: ['draft', 'active'], to: 'cancelled' },
  delete: { from: ['draft'], to: 'deleted' },
};

/** Any other move is 409 `invalid_transition`, naming both states. */
export const requireMove = (status: Status, move: Move): void => {
  const { from, to } = MOVES[move];
  if (from.includes(status)) return;
  throw new Problem('invalid_transition', {
    detail: `A class cannot go from ${status} to ${to}`,
    members: { from: status, to },
  });
};

/** A completed or cancelled class accepts no roll call, leave, schedule, staff or enrolment change. */
export const requireOpen = (it: Pick<Clazz, 'status'>): void => {
  if (it.status === 'completed' || it.status === 'cancelled') {
    throw new Problem('clazz_closed', `The class is ${it.status}`);
  }
};

export const isManager = (caller: Caller, it: Pick<Clazz, 'lead_teacher_id'>): boolean =>
  isSupervisor(caller) || (isStaff(caller) && it.lead_teacher_id === caller.user_id);

/** The lead teacher or a supervisor. */
export const requireManager = (caller: Caller, it: Pick<Clazz, 'lead_teacher_id'>): void => {
  if (!isManager(caller, it)) throw new Problem('forbidden', "Only the class's lead teacher or a supervisor may");
};

/** The lead is not also an assistant, and nobody is one twice. */
export const checkAssistants = (lead_teacher_id: string, teacher_ids: readonly string[]): void => {
  const errors = teacher_ids.flatMap((id, index) => {
    const path = `/body/teacher_ids/${index}`;
    if (id === lead_teacher_id) return [{ path, message: 'is the lead teacher' }];
    return teacher_ids.indexOf(id) < index ? [{ path, message: 'appears twice in the list' }] : [];
  });
  if (errors.length > 0) throw new Problem('invalid_request', { errors });
};

/** Used where the request leaves the field out. */
export const DEFAULTS = {
  course_id: null,
  course_package_id: null,
  capacity: null,
  zone: 'UTC',
  starts_on: null,
  ends_on: null,
} as const;

type Editable = Pick<Clazz, 'name' | 'lead_teacher_id' | keyof typeof DEFAULTS>;
export type Patch = { readonly [K in keyof Editable]?: Editable[K] | null | undefined };

/** PATCH: absent keeps, `null` goes back to the default. Refuses a class that ends before it starts. */
export const applyPatch = (current: Editable, patch: Patch): Editable => {
  const pick = <K extends keyof typeof DEFAULTS>(key: K): Editable[K] => {
    const wanted = patch[key];
    if (wanted === undefined) return current[key];
    return wanted ?? DEFAULTS[key];
  };
  const next: Editable = {
    name: patch.name ?? current.name,
    lead_teacher_id: patch.lead_teacher_id ?? current.lead_teacher_id,
    course_id: pick('course_id'),
    course_package_id: pick('course_package_id'),
    capacity: pick('capacity'),
    zone: pick('zone'),
    starts_on: pick('starts_on'),
    ends_on: pick('ends_on'),
  };
  if (next.starts_on !== null && next.ends_on !== null && next.ends_on < next.starts_on) {
    throw new Problem('invalid_request', { errors: [{ path: '/body/ends_on', message: 'is before starts_on' }] });
  }
  return next;
};
