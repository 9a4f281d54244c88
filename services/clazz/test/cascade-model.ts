import { type LotKind, type Mark, Problem } from '@teaching/contracts';
import { DAY_MS, HOUR_MS } from '@teaching/kit';

/**
 * What the service should do, in its simplest form: one mutable state in memory, hours as whole hundredths.
 * It knows nothing of revisions, entries or statements; the property test compares it with the real thing.
 */
type Rule = Exclude<Mark, 'leave'> | 'leave_in_time' | 'leave_late';

const SHARES: Record<Rule, number> = {
  present: 100,
  late: 100,
  absent: 100,
  makeup: 100,
  trial: 0,
  leave_in_time: 0,
  leave_late: 50,
};

export interface ModelLot {
  kind: LotKind;
  granted: number;
  remaining: number;
  expires: number | null;
  price: number;
  /** What expired, and when. */
  expired: { at: number; amount: number }[];
}

/** Hours charged and where they came from; `lot: null` is owed. */
interface Slice {
  lesson: number | null;
  lot: number | null;
  amount: number;
}

interface ModelStudent {
  lots: ModelLot[];
  slices: Slice[];
  /** Belongs to the class at these times. */
  periods: { from: number; to: number }[];
}

interface Seat {
  mark: Mark | null;
  rule: Rule | null;
  leave: { status: 'pending' | 'approved'; in_time: boolean } | null;
  /** What the leave was before its student left. */
  ended: Seat['leave'];
}

export interface ModelLesson {
  starts: number;
  hours: number;
  status: 'scheduled' | 'held' | 'cancelled';
  seats: Seat[];
}

export interface Model {
  now: number;
  /** How much may be owed. */
  limit: number;
  students: ModelStudent[];
  lessons: ModelLesson[];
}

export const at = <T>(list: readonly T[], index: number): T => {
  const found = list[index];
  if (found === undefined) throw new Error(`nothing at ${index}`);
  return found;
};

export const newModel = (now: number, students: number, lessons: { starts: number; hours: number }[]): Model => ({
  now,
  limit: Number.POSITIVE_INFINITY,
  students: Array.from({ length: students }, () => ({
    lots: [],
    slices: [],
    periods: [{ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }],
  })),
  lessons: lessons.map((it) => ({
    ...it,
    status: 'scheduled',
    seats: Array.from({ length: students }, () => ({ mark: null, rule: null, leave: null, ended: null })),
  })),
});

const sum = (amounts: number[]): number => amounts.reduce((a, b) => a + b, 0);
const owed = (it: ModelStudent): number => sum(it.slices.filter((one) => one.lot === null).map((one) => one.amount));
export const balanceOf = (it: ModelStudent): number => sum(it.lots.map((lot) => lot.remaining)) - owed(it);
export const isListed = (it: ModelStudent, lesson: ModelLesson): boolean =>
  it.periods.some(({ from, to }) => from <= lesson.starts && lesson.starts < to);

/** Belongs to the lesson, or keeps a mark there after leaving. */
export const isShown = (model: Model, lesson: ModelLesson, student: number): boolean =>
  at(lesson.seats, student).mark !== null || isListed(at(model.students, student), lesson);

export const isActive = (model: Model, student: number): boolean =>
  at(model.students, student).periods.at(-1)?.to === Number.POSITIVE_INFINITY;

/** What has expired of a lot since then. */
const expiredSince = (lot: ModelLot, since: number): number =>
  sum(lot.expired.filter((it) => it.at > since).map((it) => it.amount));

/** Index of lots in the order in which they are used up: those with hours, or that had some then. */
const usable = (it: ModelStudent, now: number, since: number): number[] =>
  it.lots
    .map((lot, index) => ({ lot, index }))
    .filter(
      ({ lot }) => (lot.remaining > 0 && (lot.expires === null || lot.expires > now)) || expiredSince(lot, since) > 0,
    )
    .sort(
      (a, b) =>
        a.lot.kind.localeCompare(b.lot.kind) || (a.lot.expires ?? 9e15) - (b.lot.expires ?? 9e15) || a.index - b.index,
    )
    .map(({ index }) => index);

/** What has expired since a lesson began is as good for it as it was then. */
const revive = (lot: ModelLot, hours: number, since: number): void => {
  let open = hours;
  for (const it of lot.expired.filter((one) => one.at > since)) {
    const amount = Math.max(0, Math.min(open, it.amount));
    it.amount -= amount;
    lot.remaining += amount;
    open -= amount;
  }
};

const take = (it: ModelStudent, hours: number, now: number, since = now): { lot: number | null; amount: number }[] => {
  const parts: { lot: number | null; amount: number }[] = [];
  let open = hours;
  for (const index of usable(it, now, since)) {
    const lot = at(it.lots, index);
    revive(lot, open - lot.remaining, since);
    const amount = Math.min(open, lot.remaining);
    if (amount > 0) parts.push({ lot: index, amount });
    lot.remaining -= amount;
    open -= amount;
  }
  if (open > 0) parts.push({ lot: null, amount: open });
  return parts;
};

/** Whoever has hours owes none. */
const settle = (it: ModelStudent, now: number): void => {
  it.slices = it.slices.flatMap((slice) =>
    slice.lot === null ? take(it, slice.amount, now).map((part) => ({ ...part, lesson: slice.lesson })) : [slice],
  );
  it.slices = it.slices.filter((slice) => slice.lesson !== null || slice.lot === null);
};

const expire = (model: Model): void => {
  for (const { lots } of model.students) {
    for (const lot of lots) {
      if (lot.expires === null || lot.expires > model.now) continue;
      if (lot.remaining > 0) lot.expired.push({ at: lot.expires, amount: lot.remaining });
      lot.remaining = 0;
    }
  }
};

export const pass = (model: Model, hours: number): void => {
  model.now += hours * HOUR_MS;
  expire(model);
};

export const grant = (model: Model, student: number, lot: Omit<ModelLot, 'remaining' | 'expired'>): void => {
  const it = at(model.students, student);
  it.lots.push({ ...lot, remaining: lot.granted, expired: [] });
  settle(it, model.now);
};

const requireLimit = (model: Model, before: number, after: number): void => {
  if (after > before && after > model.limit) throw new Problem('insufficient_hours');
};

export const adjust = (model: Model, student: number, hours: number): void => {
  if (hours > 0) return grant(model, student, { kind: 'gift', granted: hours, expires: null, price: 0 });
  const it = at(model.students, student);
  const before = owed(it);
  const parts = take(it, -hours, model.now);
  it.slices.push(...parts.filter((part) => part.lot === null).map((part) => ({ ...part, lesson: null })));
  return requireLimit(model, before, owed(it));
};

const worth = (lot: ModelLot, hours: number): number =>
  Math.floor((2 * lot.price * hours + lot.granted) / (2 * lot.granted));

export const transfer = (model: Model, from: number, to: number, hours: number): void => {
  const giver = at(model.students, from);
  const taker = at(model.students, to);
  const before = giver.lots.map((lot) => lot.remaining);
  const parts = take(giver, hours, model.now);
  for (const { lot, amount } of parts) {
    if (lot === null) throw new Problem('insufficient_hours');
    const source = at(giver.lots, lot);
    const price = worth(source, at(before, lot)) - worth(source, at(before, lot) - amount);
    taker.lots.push({ ...source, granted: amount, remaining: amount, price, expired: [] });
  }
  settle(taker, model.now);
};

/** Empties all paid lots and answers the money. */
export const refund = (model: Model, student: number): number => {
  const paid = at(model.students, student).lots.filter((lot) => lot.kind === 'paid' && lot.remaining > 0);
  const amounts = paid.map((lot) => worth(lot, lot.remaining));
  for (const lot of paid) lot.remaining = 0;
  return sum(amounts);
};

const recharge = (model: Model, lesson: number, student: number, rule: Rule | null): void => {
  const it = at(model.students, student);
  const { hours, starts } = at(model.lessons, lesson);
  const before = owed(it);
  for (const slice of it.slices.filter((one) => one.lesson === lesson && one.lot !== null)) {
    const lot = at(it.lots, slice.lot ?? -1);
    lot.remaining += slice.amount;
    if (lot.expires !== null && lot.expires <= model.now) lot.expires = model.now + 30 * DAY_MS;
  }
  it.slices = it.slices.filter((one) => one.lesson !== lesson);
  const charge = rule === null ? 0 : Math.floor((hours * SHARES[rule] + 50) / 100);
  it.slices.push(...take(it, charge, model.now, starts).map((part) => ({ ...part, lesson })));
  settle(it, model.now);
  requireLimit(model, before, owed(it));
};

const setMark = (model: Model, lesson: number, student: number, mark: Mark | null): void => {
  const seat = at(at(model.lessons, lesson).seats, student);
  const notice = seat.leave?.status === 'approved' && seat.leave.in_time ? 'leave_in_time' : 'leave_late';
  const rule = mark === 'leave' ? notice : mark;
  if (rule !== seat.rule) recharge(model, lesson, student, rule);
  seat.mark = mark;
  seat.rule = rule;
};

export const rollCall = (model: Model, lesson: number, marks: readonly (Mark | null)[]): void => {
  const it = at(model.lessons, lesson);
  if (it.status === 'cancelled') throw new Problem('invalid_transition');
  if (model.now < it.starts - 15 * 60_000) throw new Problem('roll_call_too_early');
  const named = marks.flatMap((mark, student) => (mark === null ? [] : [student]));
  if (named.some((student) => !isShown(model, it, student))) throw new Problem('not_found');
  if (named.length === 0 && it.seats.some((_seat, student) => isShown(model, it, student))) {
    throw new Problem('invalid_request');
  }
  it.status = 'held';
  it.seats.forEach((seat, student) => {
    const said = marks[student] ?? null;
    const onLeave = seat.mark === null && seat.leave?.status === 'approved' ? 'leave' : seat.mark;
    setMark(model, lesson, student, said ?? onLeave);
  });
};

export const cancelLesson = (model: Model, lesson: number): void => {
  const it = at(model.lessons, lesson);
  if (it.status === 'cancelled') throw new Problem('invalid_transition');
  it.status = 'cancelled';
  withoutLimit(model, () =>
    it.seats.forEach((seat, student) => {
      seat.leave = null;
      seat.ended = null;
      setMark(model, lesson, student, null);
    }),
  );
};

/** What follows by itself is never refused. */
const withoutLimit = (model: Model, work: () => void): void => {
  const { limit } = model;
  model.limit = Number.POSITIVE_INFINITY;
  work();
  model.limit = limit;
};

export const askLeave = (model: Model, lesson: number, student: number): void => {
  const it = at(model.lessons, lesson);
  if (!isListed(at(model.students, student), it)) throw new Problem('not_found');
  if (it.status === 'cancelled') throw new Problem('invalid_transition');
  const seat = at(it.seats, student);
  if (seat.leave !== null) throw new Problem('leave_exists');
  seat.leave = { status: 'pending', in_time: model.now <= it.starts - 24 * HOUR_MS };
};

export const decideLeave = (
  model: Model,
  lesson: number,
  student: number,
  what: 'approve' | 'reject' | 'cancel',
): void => {
  const it = at(model.lessons, lesson);
  const seat = at(it.seats, student);
  const status = seat.leave?.status;
  if (seat.leave === null || (what !== 'cancel' && status !== 'pending')) throw new Problem('invalid_transition');
  if (what === 'approve') {
    seat.leave.status = 'approved';
    if (it.status === 'held') setMark(model, lesson, student, 'leave');
    return;
  }
  const wasAway = status === 'approved' && seat.mark === 'leave';
  seat.leave = null;
  setMark(model, lesson, student, wasAway && what === 'cancel' ? 'absent' : seat.mark);
};

/** Leaving ends leave from lessons to come, and no mark; coming back restores it. */
export const suspend = (model: Model, student: number): void => {
  const it = at(model.students, student);
  const last = it.periods.at(-1);
  if (last === undefined || last.to !== Number.POSITIVE_INFINITY) throw new Problem('invalid_transition');
  last.to = model.now;
  if (last.from >= last.to) it.periods.pop();
  relist(model, student);
};

export const resume = (model: Model, student: number): void => {
  const it = at(model.students, student);
  if (it.periods.at(-1)?.to === Number.POSITIVE_INFINITY) throw new Problem('invalid_transition');
  it.periods.push({ from: model.now, to: Number.POSITIVE_INFINITY });
  relist(model, student);
};

const relist = (model: Model, student: number): void => {
  model.lessons.forEach((lesson, index) => {
    if (lesson.starts < model.now || lesson.status === 'cancelled') return;
    const seat = at(lesson.seats, student);
    const listed = isShown(model, lesson, student);
    if (!listed && seat.leave !== null) [seat.ended, seat.leave] = [seat.leave, null];
    if (listed && seat.ended !== null) [seat.leave, seat.ended] = [seat.ended, null];
    const isAway = lesson.status === 'held' && seat.mark === null && seat.leave?.status === 'approved';
    if (listed && isAway) withoutLimit(model, () => setMark(model, index, student, 'leave'));
  });
};
