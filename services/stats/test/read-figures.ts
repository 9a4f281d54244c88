import { statsCalls } from '@teaching/contracts';
import { expect } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { type PlayedHistory, STUDENTS, TEACHERS } from './play-history.ts';
import { type StatisticsFigures, studentCounts } from './recomputed-figures.ts';

/** A sum of hours as a text. `+ 0` turns -0 into 0. */
const decimal = (hours: number): string => (Math.round(hours * 100) / 100 + 0).toFixed(2);

/** Sums of the rows' figures, with the names of `like`. A figure is hours if its value in `like` is a text. */
const sumLike = (rows: readonly object[], like: object): object =>
  Object.fromEntries(
    Object.entries(like).map(([name, value]: [string, unknown]) => {
      const sum = rows.reduce((all, row) => all + Number(new Map<string, unknown>(Object.entries(row)).get(name)), 0);
      return [name, typeof value === 'string' ? decimal(sum) : sum];
    }),
  );

/** The number of seats without a mark. */
const unmarkedOf = ({
  numerator,
  still_attainable_numerator,
}: {
  numerator: number;
  still_attainable_numerator: number;
}): number => still_attainable_numerator - numerator;

/** The figures of an answer to a supervisor. Expects that none is hidden (null). */
const visible = <T extends object>(figures: T) => {
  expect(Object.values(figures)).not.toContain(null);
  return figures as { [K in keyof T]: NonNullable<T[K]> };
};

/** Figures of an account that are explained by its entries. */
const BY_ENTRIES = ['granted', 'adjusted', 'transferred_in', 'transferred_out', 'refunded', 'expired'] as const;

const RANGE = 'from=2026-01-01&to=2027-12-31';
/** Reads the figures of all students and teachers and of the organization from the statistics. */
export const readFigures = async (
  fixture: Fixture,
  org: string,
  { clazzes: clazzIds }: PlayedHistory,
): Promise<StatisticsFigures> => {
  const supervisor = fixture.as({ role: 'SUPERVISOR', org });
  const range = `${RANGE}&unit=month`;
  const students: StatisticsFigures['students'] = {};
  for (const id of [...STUDENTS, 'dan']) {
    const { totals, hours, attendance, clazzes, series } = expectOk(
      await supervisor.get(`/clazz/stats/my-lessons?student_id=${id}&${range}`),
    );
    expect(sumLike(clazzes, totals)).toEqual(totals);
    expect(sumLike(series, totals)).toEqual(totals);
    for (const figure of BY_ENTRIES) {
      const query = { figure, student_id: id, limit: '100' };
      const { items } = await supervisor.ok(statsCalls.explainFigure, { query });
      const sum = items.reduce((all, row) => all + Number(row.counts), 0);
      expect([figure, decimal(sum)]).toEqual([figure, hours[figure]]);
    }
    students[id] = {
      ...visible(totals),
      ...visible(hours),
      unmarked: unmarkedOf(attendance),
      numerator: attendance.numerator,
      denominator: attendance.denominator,
    };
  }
  const teachers: StatisticsFigures['teachers'] = {};
  for (const id of [...TEACHERS, 'supervisor-1']) {
    const { totals, attendance, clazzes, series, marking_turnaround } = expectOk(
      await supervisor.get(`/clazz/stats/teacher-detail?teacher_id=${id}&${RANGE}&unit=week`),
    );
    teachers[id] = {
      ...totals,
      seconds: marking_turnaround.seconds,
      students_of: studentCounts([
        ...clazzes.map(({ clazz_id, students: count }) => ({ part: clazz_id, students: count })),
        ...series.map(({ start, students: count }) => ({ part: start, students: count })),
      ]),
      unmarked: unmarkedOf(attendance),
      numerator: attendance.numerator,
      denominator: attendance.denominator,
    };
  }
  const { totals, attendance, clazzes_active, students_active, hours, marking_turnaround } = expectOk(
    await supervisor.get(`/clazz/stats/org-overview?${range}`),
  );
  const { markings: _markings, leave_handled: _handled, ...ofLessons } = totals;
  const clazzes = [];
  for (const id of clazzIds) clazzes.push(expectOk(await supervisor.get(`/clazz/stats/clazz/${id}?${range}`)).totals);
  expect(sumLike(clazzes, ofLessons)).toEqual(ofLessons);
  const { seconds } = marking_turnaround;
  return {
    students,
    teachers,
    org: { ...totals, ...hours, seconds, clazzes_active, students_active, unmarked: unmarkedOf(attendance) },
  };
};
