import { type Enrolment as Wire, type LotKind, type Mark, type Policy, Problem } from '@teaching/contracts';
import { DAY_MS, HOUR_MS } from '@teaching/kit';

/**
 * What a school should be, in its simplest form: one mutable state in memory, hours as whole hundredths, people and
 * things as their index. It knows nothing of revisions, entries or statements; the property test compares it with
 * the real thing.
 */
export interface Model {
  now: number;
  rules: Rules;
  students: Student[];
  clazzes: Clazz[];
  lessons: Lesson[];
  /** In the order in which they were asked for. */
  leaves: Leave[];
  freed: FreedPlaces;
  /** How many came from a waiting list into their class. */
  promoted: number;
}

/** What an act frees: places in classes, places and students of lessons, the time of students. */
export interface FreedPlaces {
  clazzes: Set<number>;
  lessons: Set<number>;
  students: Set<number>;
}
export const nothing = (): FreedPlaces => ({ clazzes: new Set(), lessons: new Set(), students: new Set() });

/** A line of the policy's `charge`. */
export type LedgerLine = keyof Policy['charge'];

/** The policy in force. */
export interface Rules {
  shares: Record<LedgerLine, number>;
  /** How much may be owed. */
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

/** Hours ahead of UTC, all year round: what daylight saving does to a day is nothing to this model. */
export const ZONES = { UTC: 0, 'Asia/Kolkata': 5.5, 'Pacific/Honolulu': -10 };

/** When the last of so many days after the one of a moment ends, where the school is. */
export const endOfDay = ({ zone }: Rules, moment: number, days: number): number => {
  const ahead = ZONES[zone] * HOUR_MS;
  return (Math.floor((moment + ahead) / DAY_MS) + days + 1) * DAY_MS - ahead;
};

export interface Lot {
  kind: LotKind;
  course: number | null;
  granted: number;
  remaining: number;
  expires: number | null;
  price: number;
  /** What expired, and when. */
  expired: { at: number; amount: number }[];
}

/** Hours charged and where they came from; `lot: null` is owed, `lesson: null` by no lesson. */
export interface Slice {
  lesson: number | null;
  lot: number | null;
  amount: number;
}

export interface Student {
  lots: Lot[];
  slices: Slice[];
}

export interface Enrolment {
  student: number;
  status: Wire['status'];
  since: number;
  /** When it was entered. */
  made: number;
  /** Belongs to the class at these times. */
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

/** A student at a lesson: the mark, and what it cost by which line at which length of the lesson. */
export interface Seat {
  mark: Mark | null;
  /** There was one since the roll call was taken. */
  wasMarked: boolean;
  /** When the mark became what it is. */
  marked: number | null;
  line: LedgerLine | null;
  sold: number;
  charged: number;
}

export interface Lesson {
  clazz: number;
  starts: number;
  ends: number;
  hours: number;
  status: 'scheduled' | 'held' | 'cancelled';
  /** When it was cancelled last. */
  cancelled: number | null;
  /** When its roll call was taken first. */
  called: number | null;
  seats: Seat[];
}

export interface Credit {
  status: 'available' | 'used' | 'withdrawn';
  expires: number;
  /** Where it is booked. */
  lesson: number | null;
  /** The booking that ended with something else, such as another mark of the student. */
  ended: { lesson: number; at: number; byMark: boolean } | null;
}

export interface Leave {
  lesson: number;
  student: number;
  status: 'pending' | 'approved' | 'rejected' | 'cancelled';
  in_time: boolean;
  /** What it was before its lesson was cancelled or its student left. */
  was: 'pending' | 'approved' | null;
  credit: Credit | null;
}

/** Who does something, and whether they say why. */
export interface Who {
  role: 'supervisor' | 'teacher';
  reason: boolean;
}

export const at = <T>(list: readonly T[], index: number): T => {
  const found = list[index];
  if (found === undefined) throw new Error(`nothing at ${index}`);
  return found;
};

export const sum = (amounts: readonly number[]): number => amounts.reduce((a, b) => a + b, 0);

/** A completed or cancelled class takes no change. */
export const requireOpen = (clazz: Clazz): void => {
  if (clazz.status !== 'active') throw new Problem('clazz_closed');
};

export const clazzOf = (model: Model, lesson: number): Clazz => at(model.clazzes, at(model.lessons, lesson).clazz);
export const seatAt = (model: Model, lesson: number, student: number): Seat =>
  at(at(model.lessons, lesson).seats, student);

export const newLesson = (model: Model, facts: Pick<Lesson, 'clazz' | 'starts' | 'ends' | 'hours'>): Lesson => ({
  ...facts,
  status: 'scheduled',
  cancelled: null,
  called: null,
  seats: model.students.map(() => ({ mark: null, wasMarked: false, marked: null, line: null, sold: 0, charged: 0 })),
});

export const STANDARD: Rules = {
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
