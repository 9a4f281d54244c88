import { expect, it } from 'vitest';
import { recurrenceProblem } from './recurrence.ts';

it.each([
  'FREQ=DAILY',
  'freq=weekly;byday=mo,fr;wkst=su',
  'FREQ=MONTHLY;INTERVAL=2;BYDAY=-1FR,+2MO;COUNT=10',
  'FREQ=YEARLY;BYMONTH=2,12;BYMONTHDAY=-1;BYSETPOS=1',
  'FREQ=YEARLY;BYYEARDAY=-366,1;UNTIL=20280229',
  'FREQ=YEARLY;BYWEEKNO=53;UNTIL=20260331T235959Z',
])('accepts the rule %s', (rrule) => expect(recurrenceProblem(rrule)).toBeUndefined());

it.each([
  ['x', 'part 1 is not one such as INTERVAL=2'],
  ['', 'part 1 is not one such as INTERVAL=2'],
  ['RRULE:FREQ=DAILY', 'part 1 is not one such as INTERVAL=2'],
  ['FREQ=DAILY;FOO=1', 'part 2 is not one such as INTERVAL=2'],
  ['FREQ=DAILY;COUNT=1=2', 'part 2 is not one such as INTERVAL=2'],
  ['BYDAY=MO', 'FREQ is missing'],
  ['FREQ=HOURLY', 'FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY'],
  ['FREQ=DAILY;INTERVAL=0', 'INTERVAL must be a whole number from 1'],
  ['FREQ=DAILY;COUNT=-1', 'COUNT must be a whole number from 1'],
  ['FREQ=DAILY;UNTIL=soon', 'UNTIL must be a date such as 20260331'],
  ['FREQ=DAILY;UNTIL=20260230', 'UNTIL must be a date such as 20260331'],
  ['FREQ=DAILY;UNTIL=20260301T250000', 'UNTIL must be a date such as 20260331'],
  ['FREQ=WEEKLY;BYDAY=XX', 'BYDAY must be weekdays such as MO,WE or, in a month or a year, 2TU or -1FR'],
  ['FREQ=YEARLY;BYMONTH=13', 'BYMONTH must be numbers from 1 to 12'],
  ['FREQ=YEARLY;BYMONTH=-1', 'BYMONTH must be numbers from 1 to 12'],
  ['FREQ=MONTHLY;BYMONTHDAY=0', 'BYMONTHDAY must be numbers from 1 to 31, or from -1 to -31 counted from the end'],
  ['FREQ=WEEKLY;WKST=MO,TU', 'WKST must be a weekday such as MO'],
])('refuses the rule %s with a reason', (rrule, message) => expect(recurrenceProblem(rrule)).toBe(message));
