import { type Enrolment as Wire, type LotKind, type Mark, type Policy, Problem } from '@teaching/contracts';
import { DAY_MS, HOUR_MS } from '@teaching/kit';

/**
 * The expected state of a school in its simplest form: one mutable object, hours as whole hundredths, records by index.
 * It has no revisions, entries or statements. The property test compares it with the service.
 */
export interface Model {
  now: number;
  /** The person of the current action. */
  actor: Actor;
  rules: Rules;
  students: Student[];
  clazzes: Clazz[];
  lessons: Lesson[];
  /** In the order of their requests. */
  leaves: Leave[];
  freed: FreedPlaces;
  /** The number of students who were promoted from a waiting list. */
  promoted: number;
}

export type Actor = Caller['role'] | 'job';

/** What an action frees: seats in classes, seats and students of lessons, and time of students. */
export interface FreedPlaces {
  clazzes: Set<number>;
  lessons: Set<number>;
  students: Set<number>;
}
export const noFreedPlaces = (): FreedPlaces => ({ clazzes: new Set(), lessons: new Set(), students: new Set() });

/** A line of the policy's `charge`. */
export type ChargeLine = keyof Policy['charge'];

/** The policy in force. */
export interface Rules {
  shares: Record<ChargeLine, number>;
  /** The largest debt that is allowed. */
  limit: number;
  windowDays: number;
  deadlineHours: number;
  late: 'accept' | 'refuse';
  quota: number | null;
  credits: boolean;
  creditDays: number;
  extensionDays: number;
  order: readonly LotKind[];
  zone: keyof typeof ZONES;
}

/** Hours ahead of UTC, all year round. The model does not cover daylight saving time. */
export const ZONES = { UTC: 0, 'Asia/Kolkata': 5.5, 'Pacific/Honolulu': -10 };

/** The number of the day at `moment` in the zone of the policy. */
export const dayOfInstant = ({ zone }: Rules, moment: number): number =>
  Math.floor((moment + ZONES[zone] * HOUR_MS) / DAY_MS);

/** The end of the day that is `days` days after `moment`, in the zone of the policy. */
export const endOfDay = (rules: Rules, moment: number, days: number): number =>
  (dayOfInstant(rules, moment) + days + 1) * DAY_MS - ZONES[rules.zone] * HOUR_MS;

export interface Lot {
  /** Whether a grant created it, not an adjustment or a transfer. */
  isGranted: boolean;
  kind: LotKind;
  course: number | null;
  granted: number;
  remaining: number;
  expires: number | null;
  price: number;
  /** The expired amounts with their times. */
  expired: { at: number; amount: number }[];
}

/** Charged hours with their lot and lesson. `lot: null` is a debt, `lesson: null` a debt without a lesson. */
export interface Draw {
  lesson: number | null;
  lot: number | null;
  amount: number;
}

export interface Student {
  lots: Lot[];
  draws: Draw[];
}

export interface Enrolment {
  student: number;
  status: Wire['status'];
  since: number;
  /** When it was stored. */
  made: number;
  /** When its membership ended last. */
  ended?: number;
  /** The times of membership. */
  periods: { from: number; to: number }[];
}

export interface Clazz {
  course: number | null;
  capacity: number | null;
  status: 'active' | 'completed' | 'cancelled';
  enrolments: Enrolment[];
  /** What completing ended. */
  ended: { at: number; lessons: number[]; enrolments: { it: number; status: Wire['status'] }[] } | null;
}

/** A student at a lesson: the mark, and its charge with its line and the lesson hours it was computed from. */
export interface Seat {
  mark: Mark | null;
  /** Whether there was a mark since the roll call was taken. */
  wasMarked: boolean;
  /** The person of the last change of the mark or its charge, and its time. */
  marked: { by: Actor; at: number } | null;
  line: ChargeLine | null;
  sold: number;
  charged: number;
}

export interface Lesson {
  clazz: number;
  teacher: string;
  starts: number;
  ends: number;
  hours: number;
  status: 'scheduled' | 'held' | 'cancelled';
  /** When it was cancelled last. */
  cancelled: number | null;
  /** When its roll call was taken first. */
  called: number | null;
  created: number;
  /** Whether it has or had a mark, a charge, a leave or a booking. */
  used: boolean;
  seats: Seat[];
}

export interface EndedBooking {
  lesson: number;
  at: number;
}

export interface Credit {
  status: 'available' | 'used' | 'withdrawn';
  expires: number;
  /** The booked lesson. */
  lesson: number | null;
  /** The bookings that ended as a consequence, such as of another mark of the student: the last one of each lesson. */
  ended: EndedBooking[];
  /** When it was withdrawn last. */
  withdrawn: number | null;
}

export interface Leave {
  lesson: number;
  student: number;
  status: 'pending' | 'approved' | 'rejected' | 'cancelled';
  in_time: boolean;
  /** Whether a supervisor granted it beyond deadline or quota. */
  override: boolean;
  /** Its status before its lesson was cancelled or its student left. */
  was: 'pending' | 'approved' | null;
  /** When the enrolment was made with whose end the leave ended, until it is resumed or replaced. */
  left: number | null;
  credit: Credit | null;
}

/** The caller of an action, and whether the request has a reason. */
export interface Caller {
  role: 'supervisor' | 'teacher';
  reason: boolean;
}

export const elementAt = <T>(list: readonly T[], index: number): T => {
  const found = list[index];
  if (found === undefined) throw new Error(`no element at index ${index}`);
  return found;
};

export const sum = (amounts: readonly number[]): number => amounts.reduce((a, b) => a + b, 0);

/** Refuses a change of a completed or cancelled class. */
export const requireOpen = (clazz: Clazz): void => {
  if (clazz.status !== 'active') throw new Problem('clazz_closed');
};

export const clazzOf = (model: Model, lesson: number): Clazz =>
  elementAt(model.clazzes, elementAt(model.lessons, lesson).clazz);
export const seatAt = (model: Model, lesson: number, student: number): Seat =>
  elementAt(elementAt(model.lessons, lesson).seats, student);

export const newLesson = (
  model: Model,
  facts: Pick<Lesson, 'clazz' | 'teacher' | 'starts' | 'ends' | 'hours'>,
): Lesson => ({
  ...facts,
  status: 'scheduled',
  cancelled: null,
  called: null,
  created: model.now,
  used: false,
  seats: model.students.map(() => ({ mark: null, wasMarked: false, marked: null, line: null, sold: 0, charged: 0 })),
});

export const DEFAULT_RULES: Rules = {
  shares: {
    present: 100,
    late: 100,
    absent: 100,
    makeup: 100,
    trial: 0,
    leave_in_time: 0,
    leave_late: 50,
    cancelled_by_teacher: 0,
    cancelled_by_org: 0,
  },
  limit: Number.POSITIVE_INFINITY,
  windowDays: 7,
  deadlineHours: 24,
  late: 'accept',
  quota: null,
  credits: true,
  creditDays: 60,
  extensionDays: 30,
  order: ['gift', 'paid'],
  zone: 'UTC',
};
