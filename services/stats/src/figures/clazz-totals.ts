import { fromHundredths, MARKS } from '@teaching/contracts';
import { statement } from '@teaching/kit';
import { CURRENT_GEN, hundredthsOf, SLICE, sliceOf, sumsOf } from './sql-fragments.ts';
import type { Tally } from './tally.rules.ts';

const COUNTS = ['scheduled', 'held', 'roll_calls_in_time', 'unmarked', ...MARKS] as const;

/** Names of the sums of a class or an organization. */
export const CLAZZ_SUMS = [...COUNTS, 'hours_taught', 'hours_consumed'] as const;
export type ClazzSum = (typeof CLAZZ_SUMS)[number];

/**
 * A statement that sums a table of figures, in total and for each slice. Its parameters: the organization, start and
 * end of the range, the starts of its slices, and the parameter of `condition` if there is one.
 */
export const sumsOfFigures = <K extends string = never>(
  table: string,
  more: readonly K[],
  condition: (parameter: string) => string = () => '',
) => {
  const counted = sumsOf([...COUNTS, ...more], 'f');
  const hours = hundredthsOf({ hours_taught: 'f.hours_taught', hours_consumed: 'f.hours_consumed' });
  return statement(
    `select ${sliceOf('f.at', '$4')} as slice, ${counted.columns}, ${hours.columns}
     from ${table} as f
     where f.org_id = $1 and f.gen = ${CURRENT_GEN} and f.at >= $2 and f.at < $3 ${condition('$5')}
     group by grouping sets ((), (1)) having count(*) > 0`,
    { ...SLICE, ...counted.shape, ...hours.shape },
  );
};

/** The totals in an answer. They do not contain `unmarked`: it is part of the attendance. */
export const clazzTotals = <T extends Tally<ClazzSum>>(tally: T) => {
  const { unmarked: _unmarked, hours_taught, hours_consumed, ...counted } = tally;
  return {
    ...counted,
    hours_taught: fromHundredths(hours_taught),
    hours_consumed: fromHundredths(hours_consumed),
  };
};
