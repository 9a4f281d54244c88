import { expect, it } from 'vitest';
import { recurrenceProblems } from './recurrence.ts';

it.each([
  'FREQ=DAILY',
  'freq=weekly;byday=mo,fr;wkst=su',
  'FREQ=MONTHLY;INTERVAL=2;BYDAY=-1FR,+2MO;COUNT=10',
  'FREQ=YEARLY;BYMONTH=2,12;BYMONTHDAY=-1;BYSETPOS=1',
  'FREQ=YEARLY;BYYEARDAY=1,2,3;BYDAY=MO,-53SU',
  'FREQ=YEARLY;BYYEARDAY=-366,1;UNTIL=20280229',
  'FREQ=YEARLY;BYWEEKNO=53;UNTIL=20260331T235959Z',
])('accepts the rule %s', (rrule) => expect(recurrenceProblems(rrule)).toEqual([]));

it.each([
  ['x', 'part 1 must have the form NAME=VALUE, such as INTERVAL=2'],
  ['', 'part 1 must have the form NAME=VALUE, such as INTERVAL=2'],
  ['RRULE:FREQ=DAILY', 'part 1 must have the form NAME=VALUE, such as INTERVAL=2'],
  ['FOO=1;BYDAY=MO', 'part 1 must have the form NAME=VALUE, such as INTERVAL=2', 'FREQ is missing'],
  ['FREQ=DAILY;FOO=1', 'part 2 must have the form NAME=VALUE, such as INTERVAL=2'],
  ['FREQ=DAILY;COUNT=1=2', 'part 2 must have the form NAME=VALUE, such as INTERVAL=2'],
  ['BYDAY=MO', 'FREQ is missing'],
  ['FREQ=HOURLY', 'FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY'],
  ['FREQ=DAILY;INTERVAL=0', 'INTERVAL must be a whole number from 1'],
  ['FREQ=DAILY;COUNT=-1', 'COUNT must be a whole number from 1'],
  ['FREQ=DAILY;UNTIL=soon', 'UNTIL must be a date such as 20260331'],
  ['FREQ=DAILY;UNTIL=20260230', 'UNTIL must be a date such as 20260331'],
  ['FREQ=DAILY;UNTIL=20260301T250000', 'UNTIL must be a date such as 20260331'],
  ['FREQ=DAILY;UNTIL=20260331T000000T99', 'UNTIL must be a date such as 20260331'],
  ['FREQ=WEEKLY;BYDAY=XX', 'BYDAY must be weekdays such as MO,WE or, in a month or a year, 2TU or -1FR'],
  ['FREQ=YEARLY;BYMONTH=13', 'BYMONTH must be numbers from 1 to 12'],
  ['FREQ=YEARLY;BYMONTH=-1', 'BYMONTH must be numbers from 1 to 12'],
  ['FREQ=MONTHLY;BYMONTHDAY=0', 'BYMONTHDAY must be numbers from 1 to 31, or from -1 to -31 counted from the end'],
  ['FREQ=WEEKLY;WKST=MO,TU', 'WKST must be a weekday such as MO'],
  ['FREQ=MONTHLY;BYDAY=0MO', 'BYDAY must be weekdays such as MO,WE or, in a month or a year, 2TU or -1FR'],
  ['FREQ=DAILY;INTERVAL=2;INTERVAL=3', 'INTERVAL occurs more than once'],
  ['FREQ=WEEKLY;BYMONTHDAY=3', 'BYMONTHDAY cannot be combined with FREQ=WEEKLY'],
  ['FREQ=MONTHLY;BYYEARDAY=3', 'BYYEARDAY cannot be combined with FREQ=MONTHLY'],
  ['FREQ=WEEKLY;BYDAY=2MO', 'a number in BYDAY needs FREQ=MONTHLY or FREQ=YEARLY'],
  ['FREQ=YEARLY;BYWEEKNO=3;BYDAY=2MO', 'a number in BYDAY cannot be combined with BYWEEKNO'],
  ['FREQ=MONTHLY;BYSETPOS=1', 'BYSETPOS needs another part such as BYDAY'],
  ['FREQ=DAILY;COUNT=3;UNTIL=20260331', 'COUNT cannot be combined with UNTIL'],
  [
    'FREQ=HOURLY;BYMONTH=13;FOO=1',
    'FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY',
    'BYMONTH must be numbers from 1 to 12',
    'part 3 must have the form NAME=VALUE, such as INTERVAL=2',
  ],
  [
    'FREQ=WEEKLY;BYMONTHDAY=3;INTERVAL=0',
    'INTERVAL must be a whole number from 1',
    'BYMONTHDAY cannot be combined with FREQ=WEEKLY',
  ],
  [
    'FREQ=DAILY;BYYEARDAY=3;BYWEEKNO=1;COUNT=1;UNTIL=20260331',
    'BYYEARDAY cannot be combined with FREQ=DAILY',
    'BYWEEKNO cannot be combined with FREQ=DAILY',
    'COUNT cannot be combined with UNTIL',
  ],
])('refuses the rule %s and names every problem', (rrule, ...messages) =>
  expect(recurrenceProblems(rrule)).toEqual(messages),
);
