import type { BrokenContract } from './compare-contracts.ts';

/** A decided break of v1, with the reason. It is recorded like an addition, and named in the changelog. */
export interface Decision {
  calls: RegExp;
  change: RegExp;
  because: string;
}

export const DECIDED_BREAKS: readonly Decision[] = [
  {
    calls: /^(package\.(package|version)|clazz\.(policy|hour))\.\w+$/,
    change: /^(answer|body) (\/.+)?\/currency (may now be null|has another default)$/,
    because:
      'a currency was invented where none was given; without a price there is none, and without a policy it is required',
  },
  {
    calls: /^clazz\.hour\.account$/,
    change: /^answer \/.+\/price_minor may now be null$/,
    because: 'not every student may see prices, and a price of 0 means that there was none',
  },
  {
    calls: /^stats\.(my_lessons|clazz)\.get$/,
    change: /^answer \/(hours\/\w+|(totals|(clazzes|students|series)\/\*)\/hours_consumed) may now be null$/,
    because: 'a teacher who may not read the hour account of a student saw its figures in statistics',
  },
  {
    calls: /./,
    change: /^(path|query|body) \/.+ has a tighter pattern: .\^\(\?!\\\\\.\{1,2\}\$\)/,
    because: 'a browser resolves . and .. as segments of a path, so no call could address a person with such an id',
  },
  {
    calls: /^clazz\.member\.(put_bulk|update)$/,
    change: /^body \/(members\/\*\/)?email has a tighter check in code: 2 instead of 1$/,
    because: 'any text was accepted as an e-mail address',
  },
  {
    calls:
      /^(package\.item\.sync|course\.(group\.put_courses|(lianxi|jihua)\.(create|update)|submission\.create)|clazz\.(member\.put_(bulk|guardians)|clazz\.(create|update|set_assistants)|enrolment\.enrol|lesson\.(create|check|update)|holiday\.put|audit\.verify|room\.list_free|hour\.summary)|stats\.\w+\.(get|list))$/,
    change: /^(body|query) \/[\w/*]* has a tighter check in code: [1-6] instead of (none|[13])$/,
    because: 'the services refused the same requests before; the contracts refuse them beside all other problems',
  },
  {
    calls: /^clazz\.(lesson\.(create|update)|series\.create|leave\.request|enrolment\.transfer)$/,
    change: /^body \/ has a tighter check in code: (1 instead of none|2 instead of 1|3 instead of 2|5 instead of 4)$/,
    because:
      'the service refused the same before: an override without a reason, a caller without the time of the call, a transfer to the same class',
  },
];

/** The breaks without the decided ones. */
export const withoutDecided = (broken: readonly BrokenContract[], decisions = DECIDED_BREAKS): BrokenContract[] =>
  broken
    .map((it) => ({
      ...it,
      changes: it.changes.filter(
        (one) => !decisions.some(({ calls, change }) => calls.test(it.id) && change.test(one)),
      ),
    }))
    .filter(({ changes }) => changes.length > 0);
