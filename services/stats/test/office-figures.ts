import { hourCalls, ledgerCalls, lessonCalls, MARKS, sumOf } from '@teaching/contracts';
import { expect } from 'vitest';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { allOf } from '../../../tools/proofs/test/sums.ts';
import type { StatisticsFigures } from './recomputed-figures.ts';

type Figures = StatisticsFigures['org'];

/** The figures with these names. */
const pick = (figures: Figures | undefined, names: readonly string[]): Figures =>
  Object.fromEntries(names.map((name) => [name, figures?.[name] ?? 'missing']));
/** The sum of one figure over several people. */
const sum = (people: Record<string, Figures>, name: string): number =>
  Object.values(people).reduce((total, figures) => total + Number(figures[name]), 0);

/** Expects that hours equal the account of each student, and the summary of the ledger in total. */
const expectHours = async (boss: Api, { students, org }: StatisticsFigures): Promise<void> => {
  const accounts = await allOf((cursor) => boss.ok(ledgerCalls.listHourAccounts, { query: { limit: '100', cursor } }));
  for (const { student_id, balance } of accounts) {
    const { hours } = await boss.ok(hourCalls.getHourAccount, { path: { student_id } });
    expect({ student_id, balance, ...hours }).toEqual({
      student_id,
      balance: students[student_id]?.['remaining'],
      ...pick(students[student_id], Object.keys(hours)),
    });
  }
  const summary = await boss.ok(ledgerCalls.getHourSummary, {
    query: { from: '1970-01-01', to: '2999-12-31', zone: 'UTC' },
  });
  const { granted, adjusted, transferred, consumed, refunded, expired } = summary;
  const moved = { transferred_in: transferred, transferred_out: transferred };
  const ofAll = { granted, adjusted, ...moved, consumed, refunded, expired, hours_consumed: consumed };
  expect(pick(org, Object.keys(ofAll))).toEqual(ofAll);
  expect(sum(students, 'hours_consumed').toFixed(2)).toBe(consumed);
};

/** Expects that figures of lessons equal the list of lessons, for each teacher and in total. */
const expectLessons = async (boss: Api, { teachers, org }: StatisticsFigures): Promise<void> => {
  const status = 'scheduled,held';
  const lessons = await allOf((cursor) =>
    boss.ok(lessonCalls.listLessons, { query: { status, limit: '100', cursor } }),
  );
  const held = lessons.filter((it) => it.status === 'held');
  for (const [teacher_id, figures] of Object.entries(teachers)) {
    const theirs = held.filter((it) => it.teacher_id === teacher_id);
    const expected = {
      scheduled: lessons.filter((it) => it.teacher_id === teacher_id).length,
      lessons_taught: theirs.length,
      hours_taught: sumOf(theirs.map((it) => it.hours)),
    };
    expect({ teacher_id, ...pick(figures, Object.keys(expected)) }).toEqual({ teacher_id, ...expected });
  }
  const marks = MARKS.map((mark) => [mark, lessons.reduce((total, it) => total + it.marks[mark], 0)] as const);
  const ofAll = { scheduled: lessons.length, held: held.length, ...Object.fromEntries(marks) };
  expect(pick(org, Object.keys(ofAll))).toEqual(ofAll);
};

/** Expects that the statistics equal the accounts, the summary of the ledger and the list of lessons. */
export const expectOfficeFigures = async (boss: Api, figures: StatisticsFigures): Promise<void> => {
  await expectHours(boss, figures);
  await expectLessons(boss, figures);
};
