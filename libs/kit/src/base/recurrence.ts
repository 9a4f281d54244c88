import { DAY_MS, dayNumber, dayOf, isExistingDate, weekdayOf } from './time.ts';

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;

/** A weekday from 1 (Monday) to 7. `nth` counts it in its month or year, from the end if negative; 0 means each one. */
interface Weekday {
  weekday: number;
  nth: number;
}

/** The parts of a recurrence rule. A part that the rule does not have is undefined. */
interface Rule {
  freq: (typeof FREQUENCIES)[number];
  interval: number;
  count: number;
  weekStart: number;
  months: readonly number[] | undefined;
  weeks: readonly number[] | undefined;
  yearDays: readonly number[] | undefined;
  monthDays: readonly number[] | undefined;
  weekdays: readonly Weekday[] | undefined;
  positions: readonly number[] | undefined;
}

const toWeekday = (text: string): Weekday => ({
  weekday: WEEKDAYS.indexOf(text.slice(-2)) + 1,
  nth: Number(text.slice(0, -2)),
});

const parseRule = (rrule: string): Rule => {
  const parts = new Map(
    rrule
      .toUpperCase()
      .split(';')
      .map((part): [string, string] => {
        const [name = '', value = ''] = part.split('=');
        return [name, value];
      }),
  );
  const numbers = (name: string) => parts.get(name)?.split(',').map(Number);
  return {
    freq: FREQUENCIES.find((one) => one === parts.get('FREQ')) ?? 'DAILY',
    interval: Number(parts.get('INTERVAL') ?? 1),
    count: Number(parts.get('COUNT') ?? Infinity),
    weekStart: toWeekday(parts.get('WKST') ?? 'MO').weekday,
    months: numbers('BYMONTH'),
    weeks: numbers('BYWEEKNO'),
    yearDays: numbers('BYYEARDAY'),
    monthDays: numbers('BYMONTHDAY'),
    weekdays: parts.get('BYDAY')?.split(',').map(toWeekday),
    positions: numbers('BYSETPOS'),
  };
};

/** A date as numbers. The month is counted from 0 and may exceed 11. */
const numberOf = (year: number, month: number, day = 1): number => Date.UTC(year, month, day) / DAY_MS;
const yearMonthDay = (number: number): [year: number, month: number, day: number] => {
  const at = new Date(number * DAY_MS);
  return [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
};

/** A rule without a day has the day of its start: a yearly rule its month and day, a weekly rule its weekday. */
const withDayOfStart = (rule: Rule, start: number): Rule => {
  const { freq, months, weeks, yearDays, monthDays, weekdays } = rule;
  if (freq === 'DAILY' || (yearDays ?? monthDays ?? weekdays) !== undefined) return rule;
  if (freq === 'WEEKLY' || weeks !== undefined) return { ...rule, weekdays: [{ weekday: weekdayOf(start), nth: 0 }] };
  const [, month, day] = yearMonthDay(start);
  const inMonths = freq === 'YEARLY' ? (months ?? [month + 1]) : months;
  return { ...rule, months: inMonths, monthDays: [day] };
};

const startOfWeek = (number: number, weekStart: number): number => number - ((weekdayOf(number) - weekStart + 7) % 7);
/** Week 1 of a year contains January 4: it is the first with four days in the year. */
const weekOneOf = (year: number, weekStart: number): number => startOfWeek(numberOf(year, 0, 4), weekStart);

/** The days of the n-th period after that of the start, as a half-open range of day numbers. */
const periodOf = ({ freq, interval, weekStart, weeks }: Rule, start: number, n: number): [from: number, to: number] => {
  const [year, month] = yearMonthDay(start);
  const step = n * interval;
  switch (freq) {
    case 'DAILY':
      return [start + step, start + step + 1];
    case 'WEEKLY': {
      const first = startOfWeek(start, weekStart) + 7 * step;
      return [first, first + 7];
    }
    case 'MONTHLY':
      return [numberOf(year, month + step), numberOf(year, month + step + 1)];
    case 'YEARLY': {
      if (weeks === undefined) return [numberOf(year + step, 0), numberOf(year + step + 1, 0)];
      // The year of a week is that of its fourth day.
      const [yearOfWeek] = yearMonthDay(startOfWeek(start, weekStart) + 3);
      return [weekOneOf(yearOfWeek + step, weekStart), weekOneOf(yearOfWeek + step + 1, weekStart)];
    }
  }
};

/** Whether a list contains a place from 1 to `length`, counted from the start or, as a negative number, from the end. */
const has = (list: readonly number[], place: number, length: number): boolean =>
  list.includes(place) || list.includes(place - length - 1);

const isInMonthDays = ({ monthDays }: Rule, year: number, month: number, day: number): boolean =>
  monthDays === undefined || has(monthDays, day, numberOf(year, month + 1) - numberOf(year, month));

const isInYearDays = ({ yearDays }: Rule, year: number, number: number): boolean => {
  const first = numberOf(year, 0);
  return yearDays === undefined || has(yearDays, number - first + 1, numberOf(year + 1, 0) - first);
};

/** A number in BYDAY counts the weekdays of the month in a rule of months, else those of the year. */
const isWeekday = (rule: Rule, year: number, month: number, number: number): boolean => {
  if (rule.weekdays === undefined) return true;
  const some = rule.weekdays.filter(({ weekday }) => weekday === weekdayOf(number));
  if (some.length === 0 || some.some(({ nth }) => nth === 0)) return some.length > 0;
  const isInMonth = rule.freq === 'MONTHLY' || rule.months !== undefined;
  const [from, to] = isInMonth
    ? [numberOf(year, month), numberOf(year, month + 1)]
    : [numberOf(year, 0), numberOf(year + 1, 0)];
  const [nth, nthFromEnd] = [Math.floor((number - from) / 7) + 1, Math.floor((to - 1 - number) / 7) + 1];
  return some.some((it) => it.nth === nth || it.nth === -nthFromEnd);
};

/** Whether a day of a period matches every part of the rule. */
const isMatch = (rule: Rule, number: number, [from, to]: readonly [from: number, to: number]): boolean => {
  const [year, month, day] = yearMonthDay(number);
  return (
    (rule.months?.includes(month + 1) ?? true) &&
    isInMonthDays(rule, year, month, day) &&
    (rule.weeks === undefined || has(rule.weeks, Math.floor((number - from) / 7) + 1, (to - from) / 7)) &&
    isInYearDays(rule, year, number) &&
    isWeekday(rule, year, month, number)
  );
};

const daysOfPeriod = (rule: Rule, period: readonly [from: number, to: number]): number[] => {
  const [from, to] = period;
  const days: number[] = [];
  for (let number = from; number < to; number += 1) if (isMatch(rule, number, period)) days.push(number);
  const { positions } = rule;
  return positions === undefined ? days : days.filter((_, index) => has(positions, index + 1, days.length));
};

/**
 * The days of a recurrence rule (RFC 5545) from `from` to `last`, in order, without days that do not exist in the zone.
 * The first day counts only if it matches the rule. COUNT is followed; UNTIL is not, since its last day depends on the
 * caller. The rule must have no `recurrenceProblems`. Each part limits the days of a period, so any parts can be
 * combined, and a rule that never occurs ends at `last`.
 */
export function* recurrenceDays(
  rrule: string,
  { from, last, zone }: { from: string; last: string; zone: string },
): Generator<string, void> {
  const [start, end] = [dayNumber(from), dayNumber(last)];
  const rule = withDayOfStart(parseRule(rrule), start);
  let count = 0;
  for (let n = 0; ; n += 1) {
    const period = periodOf(rule, start, n);
    // A long interval leaves the range of numbers that are dates.
    if (Number.isNaN(period[0]) || period[0] > end) return;
    for (const number of daysOfPeriod(rule, period)) {
      if (number < start) continue;
      if (number > end || count === rule.count) return;
      const date = dayOf(number);
      if (!isExistingDate(date, zone)) continue;
      count += 1;
      yield date;
    }
    if (count === rule.count) return;
  }
}
