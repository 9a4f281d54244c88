import { LotFields } from '@teaching/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Account, Charge, Lot } from './account.rules.ts';
import { sumsFrom } from './amounts.rules.ts';
import { Book } from './book.rules.ts';

const NOW = '2026-03-02T10:00:00.000Z';
const PAST = '2026-03-01T10:00:00.000Z';
const SOON = '2026-03-09T10:00:00.000Z';
const LATE = '2026-09-01T10:00:00.000Z';
const cause = { actor_id: 'sun', reason: null, policy_version: 1 };
const charge = (lesson_id: string, course_id: string | null = null): Charge => ({
  ...cause,
  lesson_id,
  starts_at: NOW,
  course_id,
  mark_revision: 1,
});

let made = 0;
beforeEach(() => {
  made = 0;
});
const rules = {
  now: NOW,
  draw_order: ['gift', 'paid'] as const,
  reversal_extension_days: 30,
  newId: () => `id-${(made += 1)}`,
};
const OPEN = { price_minor: 0, currency: null, package_id: null, package_version: null, expires_at: null };
const lot = (id: string, remaining: number, fields: Partial<Lot> = {}): Lot => ({
  ...LotFields.withDefaults({}, OPEN),
  package_title: null,
  id,
  seq: 1,
  remaining,
  granted: Math.max(remaining, 1_000),
  created_at: PAST,
  ...fields,
});
const bookOf = (lots: Lot[], more: Partial<Account> = {}): Book => {
  const balance = lots.reduce((sum, one) => sum + one.remaining, 0);
  const sums = sumsFrom(() => 0);
  const before = { student_id: 'ann', balance, ...sums, last_seq: 7, lots, draws: [], lapsed: [] };
  return new Book({ ...before, ...more }, rules);
};
const moves = (book: Book): string[] => book.entries.map(({ kind, lot_id, amount }) => `${kind} ${lot_id} ${amount}`);

describe('the sums of an account', () => {
  it('count every kind of entry, charges less what is given back', () => {
    const book = bookOf([lot('a', 1_000)], { granted: 2_000, consumed: 1_000 });
    const cause = { actor_id: 'x', reason: null, policy_version: null };
    const given = { ...lot('new', 0), granted: 300 };
    book.putIn(given, 'grant', cause);
    book.putIn(given, 'transfer_in', cause);
    book.takeOut(200, 'adjust', cause);
    book.charge(150, { ...cause, lesson_id: 'l1', starts_at: NOW, course_id: null, mark_revision: 1 });
    expect([book.sums.granted, book.sums.consumed, book.balance]).toEqual([2_300, 1_150, 1_250]);
    book.giveBack('l1', cause);
    expect([book.sums.granted, book.sums.consumed, book.balance]).toEqual([2_300, 1_000, 1_400]);
    expect(book.sums).toMatchObject({ adjusted: -200, transferred_in: 300, transferred_out: 0 });
  });
});

describe('draw order', () => {
  it.each<[string, Lot[], string[]]>([
    ['gifts before paid', [lot('paid', 100), lot('gift', 100, { kind: 'gift' })], ['gift']],
    ['the earliest expiry', [lot('late', 100, { expires_at: LATE }), lot('soon', 100, { expires_at: SOON })], ['soon']],
    ['what expires before what does not', [lot('ever', 100), lot('late', 100, { expires_at: LATE })], ['late']],
    ['the oldest', [lot('new', 100, { seq: 3 }), lot('old', 100, { seq: 2 })], ['old']],
    ['kind before expiry', [lot('soon', 100, { expires_at: SOON }), lot('gift', 100, { kind: 'gift' })], ['gift']],
    ['one after the other', [lot('a', 60), lot('b', 60, { seq: 2 })], ['a', 'b']],
    [
      'not what is for another course',
      [lot('chess', 100, { course_id: 'chess' }), lot('any', 100, { seq: 2 })],
      ['any'],
    ],
  ])('%s', (_what, lots, expected) => {
    const book = bookOf(lots);
    book.charge(100, charge('l1'));
    expect(book.entries.map((entry) => entry.lot_id)).toEqual(expected);
    expect(book.debt).toBe(0);
  });

  it('a lot of the lesson’s own course may be drawn', () => {
    const book = bookOf([lot('chess', 100, { course_id: 'chess' })]);
    book.charge(100, charge('l1', 'chess'));
    expect(moves(book)).toEqual(['consume chess -100']);
  });
});

describe('a charge', () => {
  it('beyond the lots is owed, and entries chain', () => {
    const book = bookOf([lot('a', 60)]);
    book.charge(100, charge('l1'));
    expect(moves(book)).toEqual(['consume a -60', 'consume null -40']);
    expect(book.entries.map(({ seq, balance_before, balance_after }) => [seq, balance_before, balance_after])).toEqual([
      [8, 60, 0],
      [9, 0, -40],
    ]);
    expect([book.balance, book.debt]).toEqual([-40, 40]);
  });

  it('is given back to where it came from', () => {
    const book = bookOf([lot('a', 60), lot('b', 60, { seq: 2 })]);
    book.charge(100, charge('l1'));
    book.giveBack('l1', cause);
    expect(moves(book).slice(2)).toEqual(['reverse a 60', 'reverse b 40']);
    expect(book.lots.map((one) => one.remaining)).toEqual([60, 60]);
    expect(book.draws).toEqual([]);
  });

  it('given back to a lot that expired meanwhile gives it a new expiry', () => {
    const draw = {
      id: 'd',
      seq: 2,
      lesson_id: 'l1',
      mark_revision: 3,
      course_id: null,
      lot_id: 'a',
      amount: 50,
      has_row: true,
    };
    const book = bookOf([lot('a', 0, { expires_at: PAST })], { draws: [draw] });
    book.giveBack('l1', cause);
    const extended = '2026-04-01T10:00:00.000Z';
    expect(book.entries).toMatchObject([{ kind: 'reverse', mark_revision: 3, lot_expires_at: extended }]);
    expect(book.lots).toMatchObject([{ remaining: 50, expires_at: extended }]);
  });
});

describe('what is owed', () => {
  it('is taken over by the next lot, by two entries that leave the balance', () => {
    const book = bookOf([]);
    book.charge(150, charge('l1'));
    const added = book.putIn({ ...lot('x', 0), granted: 1_000 }, 'grant', cause);
    book.settle();
    expect(moves(book).slice(2)).toEqual(['settle null 150', `settle ${added.id} -150`]);
    expect([book.balance, book.debt, added.remaining]).toEqual([850, 0, 850]);
    book.giveBack('l1', cause);
    expect([book.balance, added.remaining]).toEqual([1_000, 1_000]);
  });

  it('is settled oldest first, as far as it reaches, in one pair of entries', () => {
    const book = bookOf([]);
    book.charge(100, charge('l1'));
    book.charge(100, charge('l2'));
    const added = book.putIn({ ...lot('x', 0), granted: 150 }, 'grant', cause);
    book.settle();
    expect(moves(book).slice(3)).toEqual(['settle null 150', `settle ${added.id} -150`]);
    expect(book.debt).toBe(50);
    expect(book.draws.filter((draw) => draw.lot_id === null)).toMatchObject([{ lesson_id: 'l2', amount: 50 }]);
  });

  it('for a course is not settled from another course’s lot', () => {
    const book = bookOf([]);
    book.charge(100, charge('l1', 'chess'));
    book.putIn({ ...lot('x', 0, { course_id: 'piano' }), granted: 150 }, 'grant', cause);
    book.settle();
    expect([book.balance, book.debt]).toEqual([50, 100]);
  });
});

describe('expiry', () => {
  it.each<[string, string | null, string[]]>([
    ['before', PAST, ['expire a -100']],
    ['at the very instant', NOW, ['expire a -100']],
    ['not yet', SOON, []],
    ['never', null, []],
  ])('%s', (_what, expires_at, expected) => {
    const book = bookOf([lot('a', 100, { expires_at })]);
    expect(moves(book)).toEqual(expected);
  });

  const EARLIER = '2026-02-27T10:00:00.000Z';
  const late = { ...charge('l1'), starts_at: EARLIER };

  it('of a lot after the lesson began is taken back, as far as the lesson needs it', () => {
    const book = bookOf([lot('a', 300, { expires_at: PAST })]);
    book.charge(100, late);
    expect(moves(book)).toEqual(['expire a -300', 'expire a 100', 'consume a -100']);
    expect(book.entries[1]).toMatchObject({ actor_id: 'sun', lot_expires_at: PAST });
    book.charge(250, { ...late, lesson_id: 'l2' });
    expect(moves(book).slice(3)).toEqual(['expire a 200', 'consume a -200', 'consume null -50']);
    expect([book.balance, book.debt, book.lots[0]?.remaining]).toEqual([-50, 50, 0]);
  });

  it('before the lesson began stays; one that is stored is taken back as well', () => {
    const before = bookOf([lot('a', 300, { expires_at: EARLIER })]);
    before.charge(100, late);
    expect(moves(before)).toEqual(['expire a -300', 'consume null -100']);
    const lapsed = [{ lot_id: 'a', lot_expires_at: PAST, amount: 40 }];
    const stored = bookOf([lot('a', 0, { expires_at: PAST }), lot('b', 500)], { lapsed });
    stored.charge(100, late);
    expect(moves(stored)).toEqual(['expire a 40', 'consume a -40', 'consume b -60']);
  });

  it('is done by nobody and names the expiry that it applied', () => {
    const book = bookOf([lot('a', 100, { expires_at: PAST })]);
    expect(book.entries).toMatchObject([{ actor_id: 'system', lot_expires_at: PAST, balance_after: 0 }]);
  });
});

it('what stands behind a charge has a row only where its entry does not say so', () => {
  const book = bookOf([lot('a', 60)]);
  book.charge(100, charge('l1'));
  expect(book.addedDraws).toMatchObject([{ lot_id: null, amount: 40 }]);
  // Later: the lot has hours again, and takes over what is owed as well.
  const said = {
    id: 'e',
    seq: 1,
    lesson_id: 'l1',
    mark_revision: 1,
    course_id: null,
    lot_id: 'a',
    amount: 60,
    has_row: false,
  };
  const owed = { ...said, id: 'd', lot_id: null, amount: 40, has_row: true };
  const later = bookOf([lot('a', 50)], { draws: [said, owed] });
  later.settle();
  expect(later.removedDraws).toEqual([owed]);
  expect(later.addedDraws).toMatchObject([{ lot_id: 'a', amount: 100 }]);
  expect(later.changedDraws).toEqual([]);
});

it('what is saved is only what changed', () => {
  const draw = {
    id: 'd',
    seq: 2,
    lesson_id: 'l1',
    mark_revision: 1,
    course_id: null,
    lot_id: 'a',
    amount: 50,
    has_row: true,
  };
  const book = bookOf([lot('a', 10), lot('b', 10, { seq: 2 })], { draws: [draw] });
  book.giveBack('l1', cause);
  expect(book.changedLots.map((one) => one.id)).toEqual(['a']);
  expect(book.addedLots).toEqual([]);
  expect(book.removedDraws).toEqual([draw]);
  expect(book.changedDraws).toEqual([]);
});
