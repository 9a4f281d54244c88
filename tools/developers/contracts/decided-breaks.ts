import type { BrokenContract } from './compare-contracts.ts';

/** A break of v1 that was decided, and why: it is recorded like what only grew. Each is told in the changelog. */
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
      'a currency that nobody named was made up; without a price there is none, and without a policy it is asked for',
  },
  {
    calls: /^clazz\.hour\.account$/,
    change: /^answer \/.+\/price_minor may now be null$/,
    because: 'not every student sees what was paid, and a price of 0 says that there was none',
  },
  {
    calls: /^stats\.(my_lessons|clazz)\.get$/,
    change: /^answer \/(hours\/\w+|(totals|(clazzes|students|series)\/\*)\/hours_consumed) may now be null$/,
    because: 'a teacher who may not read the hour account of a student saw its figures in statistics',
  },
];

/** What is left when what was decided is taken off. */
export const withoutDecided = (broken: readonly BrokenContract[], decisions = DECIDED_BREAKS): BrokenContract[] =>
  broken
    .map((it) => ({
      ...it,
      changes: it.changes.filter(
        (one) => !decisions.some(({ calls, change }) => calls.test(it.id) && change.test(one)),
      ),
    }))
    .filter(({ changes }) => changes.length > 0);
