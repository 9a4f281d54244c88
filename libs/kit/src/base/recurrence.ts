const WEEKDAY = '(?:MO|TU|WE|TH|FR|SA|SU)';
const listOf = (one: string): RegExp => new RegExp(`^${one}(?:,${one})*$`);
const isDate = (digits: string): boolean => {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(digits) ?? [];
  const at = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(`${year}-${month}-${day}`);
};
const isTime = (digits: string): boolean => /^(?:[01]\d|2[0-3])(?:[0-5]\d){2}Z?$/.test(digits);

interface Part {
  fits(value: string): boolean;
  wanted: string;
}

const WHOLE: Part = {
  fits: (value) => /^\d{1,6}$/.test(value) && Number(value) > 0,
  wanted: 'must be a whole number from 1',
};
/** Numbers separated by commas, from 1 or, if `fromEnd` is set, also from -1. */
const numbers = (most: number, fromEnd = true): Part => ({
  fits: (value) =>
    listOf(String.raw`${fromEnd ? '[+-]?' : ''}\d{1,3}`).test(value) &&
    value.split(',').every((one) => Math.abs(Number(one)) >= 1 && Math.abs(Number(one)) <= most),
  wanted: `must be numbers from 1 to ${most}${fromEnd ? `, or from -1 to -${most} counted from the end` : ''}`,
});

/** The parts of a rule by name (RFC 5545, section 3.3.10). Rules have days and no time of day. */
const PARTS: ReadonlyMap<string, Part> = new Map<string, Part>([
  [
    'FREQ',
    {
      fits: (value) => /^(?:DAILY|WEEKLY|MONTHLY|YEARLY)$/.test(value),
      wanted: 'must be DAILY, WEEKLY, MONTHLY or YEARLY',
    },
  ],
  ['INTERVAL', WHOLE],
  ['COUNT', WHOLE],
  [
    'UNTIL',
    {
      fits: (value) => {
        const [date = '', time = '000000'] = value.split('T');
        return isDate(date) && isTime(time);
      },
      wanted: 'must be a date such as 20260331',
    },
  ],
  [
    'BYDAY',
    {
      fits: (value) => listOf(String.raw`(?:[+-]?\d{1,2})?${WEEKDAY}`).test(value),
      wanted: 'must be weekdays such as MO,WE or, in a month or a year, 2TU or -1FR',
    },
  ],
  ['BYMONTH', numbers(12, false)],
  ['BYMONTHDAY', numbers(31)],
  ['BYYEARDAY', numbers(366)],
  ['BYWEEKNO', numbers(53)],
  ['BYSETPOS', numbers(366)],
  [
    'WKST',
    { fits: (value) => listOf(WEEKDAY).test(value) && value.length === 2, wanted: 'must be a weekday such as MO' },
  ],
]);

const partProblem = (part: string, index: number): string | undefined => {
  const [name = '', value = '', ...more] = part.split('=');
  const known = PARTS.get(name);
  if (known === undefined || value === '' || more.length > 0) return `part ${index + 1} is not one such as INTERVAL=2`;
  return known.fits(value) ? undefined : `${name} ${known.wanted}`;
};

/** Message for a recurrence rule that is well formed but cannot be followed. */
export const UNSUPPORTED_RULE = 'has parts that cannot be combined';

/**
 * The problem of a recurrence rule (RFC 5545, without prefix), as text for its sender; undefined if the rule is well
 * formed.
 */
export const recurrenceProblem = (rrule: string): string | undefined => {
  const parts = rrule.toUpperCase().split(';');
  const problem = parts.map(partProblem).find((message) => message !== undefined);
  if (problem !== undefined) return problem;
  return parts.some((part) => part.startsWith('FREQ=')) ? undefined : 'FREQ is missing';
};
