import { LotFields } from '@teaching/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Account, Charge, Lot } from './account.rules.ts';
import { sumsFrom } from './amounts.rules.ts';
import { StudentLedger } from './student-ledger.rules.ts';

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

let idCount = 0;
beforeEach(() => {
  idCount = 0;
});
const rules = {
  now: NOW,
  draw_order: ['gift', 'paid'] as const,
  reversal_extension_days: 30,
  newId: () => `id-${(idCount += 1)}`,
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
const bookOf = (lots: Lot[], more: Partial<Account> = {}): StudentLedger => {
  const balance = lots.reduce((sum, one) => sum + one.remaining, 0);
  const sums = sumsFrom(() => 0);
  const before = { student_id: 'ann', balance, ...sums, last_seq: 7, lots, draws: [], expiredHours: [] };
  return new StudentLedger({ ...before, ...more }, rules);
};
const moves = (ledger: StudentLedger): string[] =>
  ledger.entries.map(({ kind, lot_id, amount }) => `${kind} ${lot_id} ${amount}`);

describe('The sums of an account', () => {
  it('count every kind of entry, and reversals reduce the consumed hours', () => {
    const ledger = bookOf([lot('a', 1_000)], { granted: 2_000, consumed: 1_000 });
    const cause = { actor_id: 'x', reason: null, policy_version: null };
    const newLot = { ...lot('new', 0), granted: 300 };
    ledger.addLot(newLot, 'grant', cause);
    ledger.addLot(newLot, 'transfer_in', cause);
    ledger.takeHours(200, 'adjust', cause);
    ledger.charge(150, { ...cause, lesson_id: 'l1', starts_at: NOW, course_id: null, mark_revision: 1 });
    expect([ledger.sums.granted, ledger.sums.consumed, ledger.balance]).toEqual([2_300, 1_150, 1_250]);
    ledger.reverseCharges('l1', cause);
    expect([ledger.sums.granted, ledger.sums.consumed, ledger.balance]).toEqual([2_300, 1_000, 1_400]);
    expect(ledger.sums).toMatchObject({ adjusted: -200, transferred_in: 300, transferred_out: 0 });
  });
});

describe('Hours are drawn from', () => {
  it.each<[string, Lot[], string[]]>([
    ['a gift before a paid lot', [lot('paid', 100), lot('gift', 100, { kind: 'gift' })], ['gift']],
    [
      'the lot with the earliest expiry',
      [lot('late', 100, { expires_at: LATE }), lot('soon', 100, { expires_at: SOON })],
      ['soon'],
    ],
    [
      'a lot with an expiry before a lot without one',
      [lot('ever', 100), lot('late', 100, { expires_at: LATE })],
      ['late'],
    ],
    ['the oldest lot', [lot('new', 100, { seq: 3 }), lot('old', 100, { seq: 2 })], ['old']],
    [
      'a gift before a paid lot that expires earlier',
      [lot('soon', 100, { expires_at: SOON }), lot('gift', 100, { kind: 'gift' })],
      ['gift'],
    ],
    ['the next lot after the first is empty', [lot('a', 60), lot('b', 60, { seq: 2 })], ['a', 'b']],
    ['no lot of another course', [lot('chess', 100, { course_id: 'chess' }), lot('any', 100, { seq: 2 })], ['any']],
  ])('%s', (_what, lots, expected) => {
    const ledger = bookOf(lots);
    ledger.charge(100, charge('l1'));
    expect(ledger.entries.map((entry) => entry.lot_id)).toEqual(expected);
    expect(ledger.debt).toBe(0);
  });

  it('a lot of the course of the lesson', () => {
    const ledger = bookOf([lot('chess', 100, { course_id: 'chess' })]);
    ledger.charge(100, charge('l1', 'chess'));
    expect(moves(ledger)).toEqual(['consume chess -100']);
  });
});

describe('A charge', () => {
  it('becomes a debt when the lots are empty, and each entry continues the balance', () => {
    const ledger = bookOf([lot('a', 60)]);
    ledger.charge(100, charge('l1'));
    expect(moves(ledger)).toEqual(['consume a -60', 'consume null -40']);
    expect(
      ledger.entries.map(({ seq, balance_before, balance_after }) => [seq, balance_before, balance_after]),
    ).toEqual([
      [8, 60, 0],
      [9, 0, -40],
    ]);
    expect([ledger.balance, ledger.debt]).toEqual([-40, 40]);
  });

  it('is reversed to the lots that it was drawn from', () => {
    const ledger = bookOf([lot('a', 60), lot('b', 60, { seq: 2 })]);
    ledger.charge(100, charge('l1'));
    ledger.reverseCharges('l1', cause);
    expect(moves(ledger).slice(2)).toEqual(['reverse a 60', 'reverse b 40']);
    expect(ledger.lots.map((one) => one.remaining)).toEqual([60, 60]);
    expect(ledger.draws).toEqual([]);
  });

  it('extends the expiry when it is reversed to a lot that has expired', () => {
    const draw = {
      id: 'd',
      seq: 2,
      lesson_id: 'l1',
      mark_revision: 3,
      course_id: null,
      lot_id: 'a',
      amount: 50,
      has_row: true,
      starts_at: null,
    };
    const ledger = bookOf([lot('a', 0, { expires_at: PAST })], { draws: [draw] });
    ledger.reverseCharges('l1', cause);
    const extended = '2026-04-01T10:00:00.000Z';
    expect(ledger.entries).toMatchObject([{ kind: 'reverse', mark_revision: 3, lot_expires_at: extended }]);
    expect(ledger.lots).toMatchObject([{ remaining: 50, expires_at: extended }]);
  });
});

describe('A debt', () => {
  it('is settled from the next lot by two entries that do not change the balance', () => {
    const ledger = bookOf([]);
    ledger.charge(150, charge('l1'));
    const added = ledger.addLot({ ...lot('x', 0), granted: 1_000 }, 'grant', cause);
    ledger.settleDebts();
    expect(moves(ledger).slice(2)).toEqual(['settle null 150', `settle ${added.id} -150`]);
    expect([ledger.balance, ledger.debt, added.remaining]).toEqual([850, 0, 850]);
    ledger.reverseCharges('l1', cause);
    expect([ledger.balance, added.remaining]).toEqual([1_000, 1_000]);
  });

  it('is settled oldest first, as far as the hours last, by one pair of entries', () => {
    const ledger = bookOf([]);
    ledger.charge(100, charge('l1'));
    ledger.charge(100, charge('l2'));
    const added = ledger.addLot({ ...lot('x', 0), granted: 150 }, 'grant', cause);
    ledger.settleDebts();
    expect(moves(ledger).slice(3)).toEqual(['settle null 150', `settle ${added.id} -150`]);
    expect(ledger.debt).toBe(50);
    expect(ledger.draws.filter((draw) => draw.lot_id === null)).toMatchObject([{ lesson_id: 'l2', amount: 50 }]);
  });

  it('of a course is not settled from a lot of another course', () => {
    const ledger = bookOf([]);
    ledger.charge(100, charge('l1', 'chess'));
    ledger.addLot({ ...lot('x', 0, { course_id: 'piano' }), granted: 150 }, 'grant', cause);
    ledger.settleDebts();
    expect([ledger.balance, ledger.debt]).toEqual([50, 100]);
  });
});

describe('The expiry of a lot', () => {
  it.each<[string, string | null, string[]]>([
    ['in the past takes its hours', PAST, ['expire a -100']],
    ['at the current instant takes its hours', NOW, ['expire a -100']],
    ['in the future takes nothing', SOON, []],
    ['that is missing takes nothing', null, []],
  ])('%s', (_what, expires_at, expected) => {
    const ledger = bookOf([lot('a', 100, { expires_at })]);
    expect(moves(ledger)).toEqual(expected);
  });

  const EARLIER = '2026-02-27T10:00:00.000Z';
  const late = { ...charge('l1'), starts_at: EARLIER };

  it('is taken back for a lesson that began earlier, as far as the lesson needs hours', () => {
    const ledger = bookOf([lot('a', 300, { expires_at: PAST })]);
    ledger.charge(100, late);
    expect(moves(ledger)).toEqual(['expire a -300', 'expire a 100', 'consume a -100']);
    expect(ledger.entries[1]).toMatchObject({ actor_id: 'sun', lot_expires_at: PAST });
    ledger.charge(250, { ...late, lesson_id: 'l2' });
    expect(moves(ledger).slice(3)).toEqual(['expire a 200', 'consume a -200', 'consume null -50']);
    expect([ledger.balance, ledger.debt, ledger.lots[0]?.remaining]).toEqual([-50, 50, 0]);
  });

  it('stays when it was before the lesson, and a stored one is taken back as well', () => {
    const before = bookOf([lot('a', 300, { expires_at: EARLIER })]);
    before.charge(100, late);
    expect(moves(before)).toEqual(['expire a -300', 'consume null -100']);
    const expiredHours = [{ lot_id: 'a', lot_expires_at: PAST, amount: 40 }];
    const stored = bookOf([lot('a', 0, { expires_at: PAST }), lot('b', 500)], { expiredHours });
    stored.charge(100, late);
    expect(moves(stored)).toEqual(['expire a 40', 'consume a -40', 'consume b -60']);
  });

  it('before the lesson begins excludes the lot from a charge, and from settling its debt', () => {
    const early = { ...charge('l1'), starts_at: LATE };
    const ledger = bookOf([lot('soon', 100, { expires_at: SOON }), lot('at start', 100, { expires_at: LATE })]);
    ledger.charge(100, early);
    ledger.settleDebts();
    expect(moves(ledger)).toEqual(['consume null -100']);
    const added = ledger.addLot({ ...lot('x', 0), granted: 300 }, 'grant', cause);
    ledger.settleDebts();
    expect(moves(ledger).slice(2)).toEqual(['settle null 100', `settle ${added.id} -100`]);
    expect(ledger.lots.map((one) => one.remaining)).toEqual([100, 100, 200]);
  });

  it('before the lesson of a stored debt begins excludes the lot from settling it', () => {
    const owed = {
      id: 'd',
      seq: 2,
      lesson_id: 'l1',
      mark_revision: 1,
      course_id: null,
      lot_id: null,
      amount: 100,
      has_row: true,
    };
    const settled = (starts_at: string | null): string[] => {
      const ledger = bookOf([lot('soon', 100, { expires_at: SOON })], { draws: [{ ...owed, starts_at }] });
      ledger.settleDebts();
      return moves(ledger);
    };
    expect(settled(LATE)).toEqual([]);
    expect(settled(SOON)).toEqual([]);
    for (const starts_at of [null, PAST, NOW])
      expect(settled(starts_at)).toEqual(['settle null 100', 'settle soon -100']);
  });

  it('has the actor `system` and the expiry date in its entry', () => {
    const ledger = bookOf([lot('a', 100, { expires_at: PAST })]);
    expect(ledger.entries).toMatchObject([{ actor_id: 'system', lot_expires_at: PAST, balance_after: 0 }]);
  });
});

it('a draw has a row only if the entry of its charge does not show it', () => {
  const ledger = bookOf([lot('a', 60)]);
  ledger.charge(100, charge('l1'));
  expect(ledger.addedDraws).toMatchObject([{ lot_id: null, amount: 40 }]);
  // Later the lot has hours again, and the debt is settled from it as well.
  const derived = {
    id: 'e',
    seq: 1,
    lesson_id: 'l1',
    mark_revision: 1,
    course_id: null,
    lot_id: 'a',
    amount: 60,
    has_row: false,
    starts_at: null,
  };
  const owed = { ...derived, id: 'd', lot_id: null, amount: 40, has_row: true };
  const later = bookOf([lot('a', 50)], { draws: [derived, owed] });
  later.settleDebts();
  expect(later.removedDraws).toEqual([owed]);
  expect(later.addedDraws).toMatchObject([{ lot_id: 'a', amount: 100 }]);
  expect(later.changedDraws).toEqual([]);
});

it('only changed lots and draws are saved', () => {
  const draw = {
    id: 'd',
    seq: 2,
    lesson_id: 'l1',
    mark_revision: 1,
    course_id: null,
    lot_id: 'a',
    amount: 50,
    has_row: true,
    starts_at: null,
  };
  const ledger = bookOf([lot('a', 10), lot('b', 10, { seq: 2 })], { draws: [draw] });
  ledger.reverseCharges('l1', cause);
  expect(ledger.changedLots.map((one) => one.id)).toEqual(['a']);
  expect(ledger.addedLots).toEqual([]);
  expect(ledger.removedDraws).toEqual([draw]);
  expect(ledger.changedDraws).toEqual([]);
});
