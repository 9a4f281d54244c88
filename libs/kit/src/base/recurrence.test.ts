import { randomInt } from 'node:crypto';
import { recurrenceProblems } from '@teaching/contracts';
import fc from 'fast-check';
import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { IS_PROOF } from '../../../../tools/proofs/test/proof-size.ts';
import { recurrenceDays } from './recurrence.ts';
import { addDays } from './time.ts';

const MOST_DAYS = 25;
const RANGE_DAYS = 4 * 366;
/** The test compares few rules with a fixed seed, the proof `recurrence` many random ones. */
const [RULES, SEED] = IS_PROOF ? [10_000, randomInt(1_000_000_000)] : [150, 5545];
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

const daysOf = (rrule: string, from: string, last = addDays(from, RANGE_DAYS), zone = 'UTC'): string[] => [
  ...recurrenceDays(rrule, { from, last, zone }),
];

/** The parts of a rule by name. */
type Parts = ReadonlyMap<string, string>;
const ruleOf = (parts: Parts): string => [...parts].map(([name, value]) => `${name}=${value}`).join(';');

const libraryDays = (parts: Parts, from: string): string[] => {
  const at = (date: string) => Temporal.PlainDate.from(date).toZonedDateTime('UTC');
  const until = at(addDays(from, RANGE_DAYS));
  const options = { rruleString: `RRULE:${ruleOf(parts)}`, dtstart: at(from), until, strict: true, cache: false };
  return new RRuleTemporal(options).all().map((day) => day.toString().slice(0, 'YYYY-MM-DD'.length));
};

const YEARLY_PARTS = ['BYWEEKNO', 'BYYEARDAY', 'BYMONTHDAY', 'BYDAY'];
const hasNumber = (weekday: string): boolean => /\d/.test(weekday);

/** The alternatives of one part: the library follows weekdays with and without a number separately only. */
const alternatives = (name: string, value: string): string[] => {
  if (name !== 'BYDAY') return [value];
  const days = value.split(',');
  const groups = [days.filter((day) => hasNumber(day)), days.filter((day) => !hasNumber(day))];
  return groups.filter((group) => group.length > 0).map((group) => group.join(','));
};

/**
 * The days of a rule as the library has them. Of several parts in a yearly rule the library ignores some or joins them
 * (its BYYEARDAY is not limited by BYDAY). RFC 5545 limits each by the others, so the days of such a rule are those
 * that the library has for each part alone.
 */
const expectedDays = (parts: Parts, from: string): string[] => {
  const some = YEARLY_PARTS.filter((name) => parts.has(name));
  const isMixed = alternatives('BYDAY', parts.get('BYDAY') ?? '').length > 1;
  if (parts.get('FREQ') !== 'YEARLY' || (some.length < 2 && !isMixed)) return libraryDays(parts, from);
  const common = new Map([...parts].filter(([name]) => !YEARLY_PARTS.includes(name)));
  const byPart = some.map((name) => {
    const rules = alternatives(name, parts.get(name) ?? '').map((value) => {
      const rule = new Map([...common, [name, value]]);
      if (name === 'BYWEEKNO') rule.set('BYDAY', WEEKDAYS.join(','));
      // The years of a rule of weeks are years of weeks.
      else if (parts.has('BYWEEKNO')) rule.delete('INTERVAL');
      return rule;
    });
    return new Set(rules.flatMap((rule) => libraryDays(rule, from)));
  });
  const [first = new Set<string>(), ...others] = byPart;
  return [...first].filter((day) => others.every((days) => days.has(day))).toSorted();
};

const list = <T>(of: fc.Arbitrary<T>, maxLength = 3): fc.Arbitrary<string> =>
  fc.uniqueArray(of, { minLength: 1, maxLength }).map((values) => values.join(','));
const signed = (most: number) => fc.integer({ min: -most, max: most }).filter((value) => value !== 0);
const weekday = fc.constantFrom(...WEEKDAYS);
const optional = (part: fc.Arbitrary<string>) => fc.option(part, { freq: 1, nil: undefined });

const rules = fc
  .record({
    FREQ: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY', 'YEARLY'),
    INTERVAL: optional(fc.integer({ min: 1, max: 4 }).map(String)),
    BYMONTH: optional(list(fc.integer({ min: 1, max: 12 }))),
    BYWEEKNO: optional(list(signed(53))),
    BYYEARDAY: optional(list(signed(366))),
    BYMONTHDAY: optional(list(signed(31))),
    BYDAY: optional(
      fc.oneof(
        list(weekday),
        list(fc.tuple(signed(5), weekday).map(([nth, day]) => `${nth}${day}`)),
        list(
          fc.oneof(
            weekday,
            fc.tuple(signed(5), weekday).map(([nth, day]) => `${nth}${day}`),
          ),
        ),
      ),
    ),
    BYSETPOS: optional(list(signed(3))),
    WKST: optional(weekday),
  })
  .map((record): Parts => {
    const parts = new Map(
      Object.entries(record).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const isYearly = record.FREQ === 'YEARLY' && YEARLY_PARTS.filter((name) => parts.has(name)).length > 0;
    // Positions of such rules are tested below. The library searches for seconds when a position never occurs.
    if (isYearly || record.FREQ === 'DAILY' || record.FREQ === 'WEEKLY') parts.delete('BYSETPOS');
    return parts;
  })
  .filter((parts) => recurrenceProblems(ruleOf(parts)).length === 0);
const starts = fc.oneof(
  fc.integer({ min: 0, max: 4_000 }).map((n) => addDays('2024-02-27', n)),
  // Around a new year the year of the week may differ from that of the date.
  fc.tuple(fc.integer({ min: 2024, max: 2034 }), fc.nat({ max: 5 })).map(([year, n]) => addDays(`${year}-12-29`, n)),
);
/** Whether the library counts the interval from another year than that of the week of the start. */
const isOtherYear = (parts: Parts, from: string): boolean =>
  parts.has('BYWEEKNO') && Number(parts.get('INTERVAL') ?? 1) > 1 && /-12-(29|30|31)|-01-0[123]$/.test(from);

it('the days of a rule agree with an independent library', () => {
  if (IS_PROOF) console.log(`seed ${SEED}`);
  fc.assert(
    fc.property(rules, starts, (parts, from) => {
      fc.pre(!isOtherYear(parts, from));
      expect(daysOf(ruleOf(parts), from).slice(0, MOST_DAYS)).toEqual(expectedDays(parts, from).slice(0, MOST_DAYS));
    }),
    { numRuns: RULES, seed: SEED },
  );
});

describe('The days of a rule', () => {
  it.each([
    [
      'limited by every part',
      'FREQ=YEARLY;BYYEARDAY=1,2,3,4,5,6,7;BYDAY=MO',
      ['2027-01-04', '2028-01-03', '2029-01-01'],
    ],
    ['of both weekdays', 'FREQ=YEARLY;BYMONTH=3;BYDAY=1MO,-1SU', ['2026-03-02', '2026-03-29', '2027-03-01']],
    ['with a number in the year', 'FREQ=YEARLY;BYDAY=53TH,-1MO', ['2026-12-28', '2026-12-31', '2027-12-27']],
    ['in years of weeks', 'FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU', ['2027-01-03', '2033-01-02', '2038-01-03']],
    ['on the weekday of the start', 'FREQ=YEARLY;BYWEEKNO=20', ['2026-05-13', '2027-05-19', '2028-05-17']],
    ['at positions of a year', 'FREQ=YEARLY;BYDAY=MO;BYSETPOS=1,-1', ['2026-12-28', '2027-01-04', '2027-12-27']],
    ['at positions of a week', 'FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=-1', ['2026-02-27', '2026-03-06', '2026-03-13']],
    [
      'counted from the week of the start',
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU',
      ['2026-03-01', '2026-03-15', '2026-03-29'],
    ],
    ['in weeks from Sunday', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;WKST=SU', ['2026-03-08', '2026-03-22', '2026-04-05']],
    ['of leap years', 'FREQ=YEARLY;BYYEARDAY=366', ['2028-12-31', '2032-12-31', '2036-12-31']],
  ])('are %s: %s', (_name, rrule, days) => {
    expect(daysOf(rrule, '2026-02-25', '2040-12-31').slice(0, 3)).toEqual(days);
  });

  it.each([
    ['2027-01-01', 'FREQ=YEARLY;BYWEEKNO=53;BYDAY=FR', ['2027-01-01', '2032-12-31']],
    ['2027-01-01', 'FREQ=YEARLY;BYWEEKNO=53', ['2027-01-01', '2032-12-31']],
    ['2029-12-31', 'FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO;INTERVAL=2', ['2029-12-31', '2031-12-29']],
    ['2029-12-30', 'FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO;WKST=SU;INTERVAL=2', ['2029-12-31', '2032-01-05']],
  ])('begin in the week year of the start %s: %s', (from, rrule, days) => {
    expect(daysOf(rrule, from, '2040-12-31').slice(0, 2)).toEqual(days);
  });

  it.each([
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=YEARLY;BYWEEKNO=20;BYMONTH=1',
    'FREQ=WEEKLY;BYDAY=MO;BYSETPOS=2',
    'FREQ=YEARLY;INTERVAL=999999;BYMONTH=1',
  ])('end when the rule never occurs: %s', (rrule) => expect(daysOf(rrule, '2026-02-25', '2999-12-31')).toEqual([]));

  it('are at most COUNT, without days that do not exist in the zone', () => {
    const days = ['2011-12-29', '2011-12-31', '2012-01-01'];
    expect(daysOf('FREQ=DAILY;COUNT=3', '2011-12-29', '2012-02-01', 'Pacific/Apia')).toEqual(days);
  });
});
