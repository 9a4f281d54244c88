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
        const [date = '', time = '000000', ...more] = value.split('T');
        return isDate(date) && isTime(time) && more.length === 0;
      },
      wanted: 'must be a date such as 20260331',
    },
  ],
  [
    'BYDAY',
    {
      fits: (value) => listOf(String.raw`(?:[+-]?(?:[1-9]|[1-4]\d|5[0-3]))?${WEEKDAY}`).test(value),
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

/** The names of parts that need a certain FREQ, and those FREQ (RFC 5545, section 3.3.10). */
const FREQUENCIES_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ['BYMONTHDAY', ['DAILY', 'MONTHLY', 'YEARLY']],
  ['BYYEARDAY', ['YEARLY']],
  ['BYWEEKNO', ['YEARLY']],
]);

const partsOf = (rrule: string): [name: string, value: string][] =>
  rrule
    .toUpperCase()
    .split(';')
    .map((part) => {
      const [name = '', value = '', ...more] = part.split('=');
      return [more.length > 0 ? '' : name, value];
    });

const partProblem = ([name, value]: readonly [string, string], index: number): string[] => {
  const known = PARTS.get(name);
  if (known === undefined || value === '')
    return [`part ${index + 1} must have the form NAME=VALUE, such as INTERVAL=2`];
  return known.fits(value) ? [] : [`${name} ${known.wanted}`];
};

/** The problems of parts that must not be combined (RFC 5545, section 3.3.10). */
const combinationProblems = (parts: ReadonlyMap<string, string>): string[] => {
  const freq = parts.get('FREQ') ?? '';
  const isNumbered = /\d/.test(parts.get('BYDAY') ?? '');
  const needsOther = [...FREQUENCIES_OF].filter(([name, some]) => parts.has(name) && !some.includes(freq));
  const others = [...parts.keys()].filter((name) => name.startsWith('BY') && name !== 'BYSETPOS');
  return [
    ...needsOther.map(([name]) => `${name} cannot be combined with FREQ=${freq}`),
    ...(isNumbered && (freq === 'DAILY' || freq === 'WEEKLY')
      ? ['a number in BYDAY needs FREQ=MONTHLY or FREQ=YEARLY']
      : []),
    ...(isNumbered && parts.has('BYWEEKNO') ? ['a number in BYDAY cannot be combined with BYWEEKNO'] : []),
    ...(parts.has('BYSETPOS') && others.length === 0 ? ['BYSETPOS needs another part such as BYDAY'] : []),
    ...(parts.has('COUNT') && parts.has('UNTIL') ? ['COUNT cannot be combined with UNTIL'] : []),
  ];
};

/**
 * Every problem of a recurrence rule (RFC 5545, without prefix), as texts for its sender. None if the rule is well
 * formed.
 */
export const recurrenceProblems = (rrule: string): string[] => {
  const parts = partsOf(rrule);
  const names = parts.map(([name]) => name);
  const twice = new Set(names.filter((name, index) => PARTS.has(name) && names.indexOf(name) < index));
  // A part that cannot be read, such as RRULE:FREQ=DAILY, may be the FREQ.
  const isFreqMissing = !rrule.toUpperCase().includes('FREQ') && names.some((name) => PARTS.has(name));
  const problems = [
    ...parts.flatMap(partProblem),
    ...[...twice].map((name) => `${name} occurs more than once`),
    ...(isFreqMissing ? ['FREQ is missing'] : []),
  ];
  const frequencies = parts.filter(([name]) => name === 'FREQ');
  const isFreqKnown = frequencies.length === 1 && frequencies.every((part) => partProblem(part, 0).length === 0);
  return [...problems, ...(isFreqKnown ? combinationProblems(new Map(parts)) : [])];
};
