import { type Enrolment, Problem } from '@teaching/contracts';

type Status = Enrolment['status'];
export type EnrolmentStep = 'suspend' | 'resume' | 'withdraw' | 'transfer';

const STEPS: Record<EnrolmentStep, { from: readonly Status[]; to: Status }> = {
  suspend: { from: ['active'], to: 'suspended' },
  resume: { from: ['suspended'], to: 'active' },
  withdraw: { from: ['waiting', 'active', 'suspended'], to: 'withdrawn' },
  transfer: { from: ['active', 'suspended'], to: 'transferred' },
};

/**
 * The enrolment after a step. 409 `invalid_transition` for a step that its status does not allow. `until` is set when
 * it ends.
 */
export const applyStep = (it: Enrolment, step: EnrolmentStep, now: Date): Enrolment => {
  const { from, to } = STEPS[step];
  if (!from.includes(it.status)) {
    throw new Problem('invalid_transition', {
      detail: `An enrolment cannot go from ${it.status} to ${to}`,
      members: { from: it.status, to },
    });
  }
  const ends = to === 'withdrawn' || to === 'transferred';
  return { ...it, status: to, until: ends ? now.toISOString() : null };
};

/** The free seats of a class. Null capacity is unlimited. */
export const freeSeats = (capacity: number | null, taken: number): number =>
  capacity === null ? Number.POSITIVE_INFINITY : Math.max(0, capacity - taken);

/**
 * Gives free seats in order. Further students wait if `waitlist` is set.
 * Otherwise 409 `clazz_full`, or `room_too_small` when only a room of the lessons has too few seats.
 */
export const allocateSeats = (
  students: readonly string[],
  free: { clazz: number; rooms: number },
  waitlist: boolean,
): { placed: string[]; waiting: string[] } => {
  const places = Math.min(free.clazz, free.rooms);
  if (students.length > places && !waitlist) {
    const code = students.length > free.clazz ? 'clazz_full' : 'room_too_small';
    throw new Problem(code, { detail: `${places} free seat(s)`, members: { free_seats: places } });
  }
  return { placed: students.slice(0, places), waiting: students.slice(Math.min(places, students.length)) };
};

/** The path of a student in the request. */
export const studentPath = (index: number): string => `/body/student_ids/${index}`;

export interface EnrolmentChange {
  before: Enrolment | null;
  after: Enrolment;
}

/** Whether the change frees a seat. Suspended students keep their seat, waiting students have none. */
export const isSeatFreed = ({ before, after }: EnrolmentChange): boolean =>
  (before?.status === 'active' || before?.status === 'suspended') &&
  after.status !== 'active' &&
  after.status !== 'suspended';

/** A resumed student belongs to the class from now on, or from a later start of the enrolment. */
const resumedFrom = ({ since }: Enrolment, now: Date): string =>
  Date.parse(since) > now.getTime() ? since : now.toISOString();

/**
 * The periods that changes open and close.
 * Becoming active opens a period: at `since` for a new student, now for a resumed one. Ceasing to be active closes it.
 */
export const periodChanges = (changes: readonly EnrolmentChange[], now: Date) => {
  const open = changes
    .filter(({ before, after }) => after.status === 'active' && before?.status !== 'active')
    .map(({ before, after }) => ({
      ...after,
      from: before?.status === 'suspended' ? resumedFrom(after, now) : after.since,
    }));
  const close = changes
    .filter(({ before, after }) => before?.status === 'active' && after.status !== 'active')
    .map(({ after }) => after.id);
  return { open, close };
};

/** A half-open range without end, in the format of `tstzrange`. Null: without beginning as well. */
export const openPeriod = (since: string | null): string => (since === null ? '(,)' : `[${since},)`);
