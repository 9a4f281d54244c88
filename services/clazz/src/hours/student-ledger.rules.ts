import { DAY_MS } from '@teaching/kit';
import {
  type Account,
  ANY_COURSE,
  type LedgerRules,
  type Cause,
  type Charge,
  type Draw,
  type Entry,
  type ExpiredHours,
  type CourseFilter,
  sortByDrawOrder,
  isForCourse,
  isExpired,
  type Lot,
  type NewLot,
} from './account.rules.ts';
import { type Sums, sumsFrom, addToSums, countedKind } from './amounts.rules.ts';
import { type Money, moneyOf, NO_MONEY } from './money.rules.ts';

/** The cause of expiry and settlement, which have no human actor. */
const AUTOMATIC: Cause = { actor_id: 'system', reason: null, policy_version: null };

/**
 * The ledger of one student in memory. It starts from the stored account and collects the new entries and the changed
 * lots and draws.
 * Opening it expires hours that are due.
 */
export class StudentLedger {
  readonly student_id: string;
  readonly entries: Entry[] = [];
  lots: Lot[];
  draws: Draw[];
  readonly #expiredHours: ExpiredHours[];
  #balance: number;
  #sums: Sums;
  #seq: number;
  readonly #before: Account;
  readonly #rules: LedgerRules;

  constructor(account: Account, rules: LedgerRules) {
    this.student_id = account.student_id;
    this.#before = account;
    this.#balance = account.balance;
    this.#sums = sumsFrom((name) => account[name]);
    this.#seq = account.last_seq;
    this.lots = account.lots.map((lot) => ({ ...lot }));
    this.draws = account.draws.map((draw) => ({ ...draw }));
    this.#expiredHours = account.expiredHours.map((it) => ({ ...it }));
    this.#rules = rules;
    this.#expire();
  }

  get balance(): number {
    return this.#balance;
  }

  get sums(): Sums {
    return this.#sums;
  }

  get last_seq(): number {
    return this.#seq;
  }

  /** Charged hours without a lot. */
  get debt(): number {
    return this.draws.reduce((sum, draw) => (draw.lot_id === null ? sum + draw.amount : sum), 0);
  }

  get addedLots(): Lot[] {
    const known = new Set(this.#before.lots.map((lot) => lot.id));
    return this.lots.filter((lot) => !known.has(lot.id));
  }

  /** Lots that existed before and have new entries. */
  get changedLots(): Lot[] {
    const touched = new Set(this.entries.map((entry) => entry.lot_id));
    const known = new Set(this.#before.lots.map((lot) => lot.id));
    return this.lots.filter((lot) => known.has(lot.id) && touched.has(lot.id));
  }

  /** Draws whose row is no longer needed. */
  get removedDraws(): Draw[] {
    const remaining = new Set(this.draws.map((draw) => draw.id));
    return [...this.#rows().values()].filter((draw) => !remaining.has(draw.id));
  }

  /** Draws that need a new row. */
  get addedDraws(): Draw[] {
    const rows = this.#rows();
    return this.draws.filter((draw) => draw.has_row && !rows.has(draw.id));
  }

  /** Draws whose row has another amount. */
  get changedDraws(): Draw[] {
    const rows = this.#rows();
    return this.draws.filter((draw) => (rows.get(draw.id)?.amount ?? draw.amount) !== draw.amount);
  }

  #rows(): Map<string, Draw> {
    return new Map(this.#before.draws.flatMap((draw) => (draw.has_row ? [[draw.id, draw]] : [])));
  }

  /** Adds a lot with new hours. */
  addLot(lot: NewLot, kind: 'grant' | 'transfer_in' | 'adjust', cause: Cause): Lot {
    const added: Lot = {
      ...lot,
      id: this.#rules.newId(),
      seq: this.#seq + 1,
      remaining: lot.granted,
      created_at: this.#rules.now,
    };
    this.lots.push(added);
    this.#write(kind, added.id, lot.granted, cause, kind === 'grant' ? moneyOf(lot) : {});
    return added;
  }

  /**
   * Charges a mark. Hours are drawn from lots that are valid when the lesson begins, in draw order, including hours that
   * expired since. Missing hours become a debt.
   */
  charge(hours: number, charge: Charge): void {
    const part = { lesson_id: charge.lesson_id, mark_revision: charge.mark_revision };
    const draw = (lot_id: string | null, amount: number): void => {
      this.#write('consume', lot_id, -amount, charge, part);
      const { course_id, starts_at } = charge;
      this.#addDraw({ ...part, course_id, starts_at, lot_id, amount, has_row: lot_id === null });
    };
    let open = hours;
    for (const lot of this.#usable(charge.course_id, charge.starts_at)) {
      this.#takeBack(lot, open - lot.remaining, charge);
      open = this.#takeFrom([lot], open, (_lot, amount) => draw(lot.id, amount));
    }
    if (open > 0) draw(null, open);
  }

  /**
   * Reverses the charges of a lesson to the lots that they came from. A lot that has expired meanwhile gets a new
   * expiry, which the entry shows.
   */
  reverseCharges(lesson_id: string, cause: Cause): void {
    for (const draw of this.draws.filter((it) => it.lesson_id === lesson_id)) {
      const lot = this.lots.find((it) => it.id === draw.lot_id);
      const extended = lot !== undefined && this.#isExpired(lot) ? this.#extension() : null;
      if (lot !== undefined) {
        lot.remaining += draw.amount;
        lot.expires_at = extended ?? lot.expires_at;
      }
      const { mark_revision } = draw;
      this.#write('reverse', draw.lot_id, draw.amount, cause, { lesson_id, mark_revision, lot_expires_at: extended });
    }
    this.draws = this.draws.filter((it) => it.lesson_id !== lesson_id);
  }

  /** Takes hours from all usable lots in draw order. Returns the part of each lot, and the missing hours. */
  takeHours(
    hours: number,
    kind: 'transfer_out' | 'adjust',
    cause: Cause,
  ): { parts: { lot: Lot; before: number; hours: number }[]; short: number } {
    const parts: { lot: Lot; before: number; hours: number }[] = [];
    const short = this.#takeFrom(this.#usable(ANY_COURSE), hours, (lot, amount) => {
      parts.push({ lot, before: lot.remaining + amount, hours: amount });
      this.#write(kind, lot.id, -amount, cause);
    });
    return { parts, short };
  }

  /** Records hours as a debt without a lesson. */
  addDebt(hours: number, cause: Cause): void {
    this.#write('adjust', null, -hours, cause);
    this.draws.push({
      id: this.#rules.newId(),
      seq: this.#seq,
      lesson_id: null,
      mark_revision: null,
      course_id: null,
      lot_id: null,
      amount: hours,
      has_row: true,
      starts_at: null,
    });
  }

  /** Takes hours from a lot for a refund of money. */
  refund(lot_id: string, hours: number, cause: Cause, money: Money): void {
    const lot = this.lots.find((it) => it.id === lot_id);
    if (lot === undefined || hours === 0) return;
    lot.remaining -= hours;
    this.#write('refund', lot.id, -hours, cause, money);
  }

  /** Takes all hours of a grant back: as a refund of its price, or as a reversal if nothing was paid. */
  undoGrant(lot: Lot, cause: Cause): void {
    const money = moneyOf(lot);
    const hours = lot.remaining;
    lot.remaining = 0;
    this.#write(money.price_minor === null ? 'reverse' : 'refund', lot.id, -hours, cause, money);
  }

  /**
   * Settles debts from lots, oldest debt first: one entry for the debts and one for each lot, with the sum zero. The
   * debt of a lesson to come is not settled from hours that expire before it begins.
   * Call it last, so that no student has both hours and a debt for them.
   */
  settleDebts(): void {
    const paid = new Map<Lot, number>();
    for (const debt of this.draws.filter((it) => it.lot_id === null)) {
      const { now } = this.#rules;
      const at = debt.starts_at !== null && debt.starts_at > now ? debt.starts_at : now;
      const usable = this.#usable(debt.lesson_id === null ? ANY_COURSE : debt.course_id, at);
      debt.amount = this.#takeFrom(usable, debt.amount, (lot, amount) => {
        paid.set(lot, (paid.get(lot) ?? 0) + amount);
        if (debt.lesson_id !== null) this.#addDraw({ ...debt, lot_id: lot.id, amount });
      });
    }
    this.draws = this.draws.filter((it) => it.amount > 0);
    const sum = [...paid.values()].reduce((total, amount) => total + amount, 0);
    if (sum > 0) this.#write('settle', null, sum, AUTOMATIC);
    for (const [lot, amount] of paid) this.#write('settle', lot.id, -amount, AUTOMATIC);
    this.#expire();
  }

  /** Takes hours from lots in turn. Returns the missing hours. */
  #takeFrom(lots: readonly Lot[], hours: number, taken: (lot: Lot, amount: number) => void): number {
    let open = hours;
    for (const lot of lots) {
      const amount = Math.min(open, lot.remaining);
      if (amount === 0) continue;
      lot.remaining -= amount;
      open -= amount;
      taken(lot, amount);
    }
    return open;
  }

  /** Lots with hours that are valid at an instant, which may be past or future, in draw order. */
  #usable(course: CourseFilter, at = this.#rules.now): Lot[] {
    const had = new Set(this.#expiredHours.flatMap((it) => (it.lot_expires_at > at ? [it.lot_id] : [])));
    const hasHours = (lot: Lot): boolean => (lot.remaining > 0 && !isExpired(lot, at)) || had.has(lot.id);
    const usable = this.lots.filter((lot) => hasHours(lot) && isForCourse(lot, course));
    return sortByDrawOrder(usable, this.#rules.draw_order);
  }

  /** Takes back up to `hours` of a lot from the expiries after the lesson began. */
  #takeBack(lot: Lot, hours: number, { starts_at, actor_id, reason, policy_version }: Charge): void {
    let open = hours;
    for (const it of this.#expiredHours) {
      if (it.lot_id !== lot.id || it.lot_expires_at <= starts_at) continue;
      const amount = Math.min(open, it.amount);
      if (amount <= 0) continue;
      const { lot_expires_at } = it;
      this.#write('expire', lot.id, amount, { actor_id, reason, policy_version }, { lot_expires_at });
      it.amount -= amount;
      lot.remaining += amount;
      open -= amount;
    }
  }

  #addDraw(draw: Omit<Draw, 'id' | 'seq'>): void {
    const same = this.draws.find((it) => it.lesson_id === draw.lesson_id && it.lot_id === draw.lot_id);
    if (same === undefined) this.draws.push({ ...draw, id: this.#rules.newId(), seq: this.#seq });
    else Object.assign(same, { amount: same.amount + draw.amount, has_row: true });
  }

  #isExpired(lot: Lot): boolean {
    return isExpired(lot, this.#rules.now);
  }

  #extension(): string {
    return new Date(Date.parse(this.#rules.now) + this.#rules.reversal_extension_days * DAY_MS).toISOString();
  }

  #expire(): void {
    for (const lot of this.lots.filter((it) => it.remaining > 0 && this.#isExpired(it))) {
      const { id: lot_id, expires_at: lot_expires_at, remaining: amount } = lot;
      this.#write('expire', lot_id, -amount, AUTOMATIC, { lot_expires_at });
      if (lot_expires_at !== null) this.#expiredHours.push({ lot_id, lot_expires_at, amount });
      lot.remaining = 0;
    }
  }

  #write(kind: Entry['kind'], lot_id: string | null, amount: number, cause: Cause, more: Partial<Entry> = {}): void {
    const { actor_id, reason, policy_version } = cause;
    const balance_before = this.#balance;
    this.#balance += amount;
    this.#sums = addToSums(this.#sums, countedKind({ kind, lesson_id: more.lesson_id ?? null }), amount);
    this.#seq += 1;
    this.entries.push({
      id: this.#rules.newId(),
      seq: this.#seq,
      kind,
      lot_id,
      amount,
      balance_before,
      balance_after: this.#balance,
      lesson_id: null,
      mark_revision: null,
      policy_version,
      lot_expires_at: null,
      actor_id,
      reason,
      ...NO_MONEY,
      ...more,
    });
  }
}
