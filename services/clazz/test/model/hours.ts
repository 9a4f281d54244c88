import { Problem } from '@teaching/contracts';
import { DAY_MS } from '@teaching/kit';
import { elementAt, type Lot, type Model, type Draw, type Student, sum } from './state.ts';

export const debtOf = (it: Student): number => sum(it.draws.filter((one) => one.lot === null).map((one) => one.amount));
export const balanceOf = (it: Student): number => sum(it.lots.map((lot) => lot.remaining)) - debtOf(it);

/** Selects lots of any course. `null` is a lesson without a course. */
const ANY = 'any';
type Course = number | null | typeof ANY;

const isValid = (lot: Lot, now: number): boolean => lot.expires === null || lot.expires > now;

/** The hours of a lot that expired after `since`. */
const expiredSince = (lot: Lot, since: number): number =>
  sum(lot.expired.filter((it) => it.at > since).map((it) => it.amount));

/** The indexes of the lots in draw order: by kind, then by expiry, then by age. */
const drawOrder = (model: Model, it: Student): number[] =>
  it.lots
    .map((lot, index) => ({ lot, index }))
    .sort(
      (a, b) =>
        model.rules.order.indexOf(a.lot.kind) - model.rules.order.indexOf(b.lot.kind) ||
        (a.lot.expires ?? 9e15) - (b.lot.expires ?? 9e15) ||
        a.index - b.index,
    )
    .map(({ index }) => index);

/** Puts back hours of a lot that expired after `since`, the start of a lesson. They are still valid for that lesson. */
const unexpire = (lot: Lot, hours: number, since: number): void => {
  let open = hours;
  for (const it of lot.expired.filter((one) => one.at > since)) {
    const amount = Math.max(0, Math.min(open, it.amount));
    it.amount -= amount;
    lot.remaining += amount;
    open -= amount;
  }
};

/** Draws hours from the lots that were valid for a course at `since`. The rest becomes a debt. */
const drawHours = (
  model: Model,
  it: Student,
  hours: number,
  course: Course,
  since = model.now,
): Omit<Draw, 'lesson'>[] => {
  const parts: Omit<Draw, 'lesson'>[] = [];
  let open = hours;
  for (const index of drawOrder(model, it)) {
    const lot = elementAt(it.lots, index);
    if (course !== ANY && lot.course !== null && lot.course !== course) continue;
    if (!isValid(lot, Math.max(model.now, since)) && expiredSince(lot, since) === 0) continue;
    unexpire(lot, open - lot.remaining, since);
    const amount = Math.min(open, lot.remaining);
    if (amount > 0) parts.push({ lot: index, amount });
    lot.remaining -= amount;
    open -= amount;
  }
  if (open > 0) parts.push({ lot: null, amount: open });
  return parts;
};

const courseOf = (model: Model, lesson: number | null): Course =>
  lesson === null ? ANY : elementAt(model.clazzes, elementAt(model.lessons, lesson).clazz).course;

/** Settles debts with remaining hours that are valid for their course, now and when their lesson begins. */
const settle = (model: Model, it: Student): void => {
  it.draws = it.draws.flatMap((draw) => {
    if (draw.lot !== null) return [draw];
    const { lesson } = draw;
    const starts = lesson === null ? model.now : elementAt(model.lessons, lesson).starts;
    const since = Math.max(model.now, starts);
    return drawHours(model, it, draw.amount, courseOf(model, lesson), since).map((part) => ({ ...part, lesson }));
  });
  it.draws = it.draws.filter((draw) => draw.lesson !== null || draw.lot === null);
};

const expire = (model: Model): void => {
  for (const lot of model.students.flatMap((it) => it.lots)) {
    if (lot.expires === null || isValid(lot, model.now)) continue;
    if (lot.remaining > 0) lot.expired.push({ at: lot.expires, amount: lot.remaining });
    lot.remaining = 0;
  }
};

export const passTime = (model: Model, to: number): void => {
  model.now = to;
  expire(model);
};

const requireDebtLimit = (model: Model, before: number, after: number): void => {
  if (after > before && after > model.rules.limit) throw new Problem('insufficient_hours');
};

/** Runs `work` without a limit of debt, since derived changes are never refused. */
export const withoutLimit = (model: Model, work: () => void): void => {
  const { limit } = model.rules;
  model.rules.limit = Number.POSITIVE_INFINITY;
  work();
  model.rules.limit = limit;
};

type NewLot = Omit<Lot, 'remaining' | 'expired' | 'isGranted'>;

const addLot = (model: Model, student: number, lot: NewLot, isGranted: boolean): void => {
  const it = elementAt(model.students, student);
  it.lots.push({ ...lot, isGranted, remaining: lot.granted, expired: [] });
  settle(model, it);
};

export const grant = (model: Model, student: number, lot: NewLot): void => {
  if (lot.expires !== null && lot.expires <= model.now) throw new Problem('invalid_request');
  addLot(model, student, lot, true);
};

/** Takes back all hours of a grant that was not used. Debts do not change. */
export const undoGrant = (model: Model, student: number, index: number): void => {
  const lot = elementAt(elementAt(model.students, student).lots, index);
  if (!lot.isGranted) throw new Problem('not_found');
  if (lot.remaining !== lot.granted) throw new Problem('in_use');
  lot.remaining = 0;
};

export const adjust = (model: Model, student: number, hours: number): void => {
  if (hours > 0) {
    addLot(model, student, { kind: 'gift', course: null, granted: hours, expires: null, price: 0 }, false);
    return;
  }
  const it = elementAt(model.students, student);
  const before = debtOf(it);
  const parts = drawHours(model, it, -hours, ANY);
  it.draws.push(...parts.filter((part) => part.lot === null).map((part) => ({ ...part, lesson: null })));
  requireDebtLimit(model, before, debtOf(it));
};

const priceOf = (lot: Lot, hours: number): number =>
  Math.floor((2 * lot.price * hours + lot.granted) / (2 * lot.granted));

export const transferHours = (model: Model, from: number, to: number, hours: number): void => {
  const giver = elementAt(model.students, from);
  const taker = elementAt(model.students, to);
  const before = giver.lots.map((lot) => lot.remaining);
  for (const { lot, amount } of drawHours(model, giver, hours, ANY)) {
    if (lot === null) throw new Problem('insufficient_hours');
    const source = elementAt(giver.lots, lot);
    const price = priceOf(source, elementAt(before, lot)) - priceOf(source, elementAt(before, lot) - amount);
    taker.lots.push({ ...source, isGranted: false, granted: amount, remaining: amount, price, expired: [] });
  }
  settle(model, taker);
};

/** Empties the paid lots and returns the money. Debts are deducted first, in draw order. */
export const refund = (model: Model, student: number): number => {
  const it = elementAt(model.students, student);
  let debt = debtOf(it);
  return sum(
    drawOrder(model, it).map((index) => {
      const lot = elementAt(it.lots, index);
      const reserved = Math.min(debt, lot.remaining);
      debt -= reserved;
      if (lot.kind !== 'paid') return 0;
      const amount = priceOf(lot, lot.remaining) - priceOf(lot, reserved);
      lot.remaining = reserved;
      return amount;
    }),
  );
};

/** Returns the charge of a lesson to its lots and charges the lesson again. The expiry of expired lots is extended. */
export const recharge = (model: Model, lesson: number, student: number, hours: number): void => {
  const it = elementAt(model.students, student);
  const before = debtOf(it);
  for (const draw of it.draws) {
    if (draw.lesson !== lesson || draw.lot === null) continue;
    const lot = elementAt(it.lots, draw.lot);
    lot.remaining += draw.amount;
    if (!isValid(lot, model.now)) lot.expires = model.now + model.rules.extensionDays * DAY_MS;
  }
  it.draws = it.draws.filter((one) => one.lesson !== lesson);
  const { starts } = elementAt(model.lessons, lesson);
  const parts = drawHours(model, it, hours, courseOf(model, lesson), starts);
  it.draws.push(...parts.map((part) => ({ ...part, lesson })));
  settle(model, it);
  requireDebtLimit(model, before, debtOf(it));
};
