import { MARKS } from '@teaching/contracts';
import { type Statement, statement } from '@teaching/kit';
import { GEN, hundredths, sliceOf, sums } from './sql.ts';
import { decimal, type SumRow, type Tally } from './tally.rules.ts';

const HOURS = ['hours_taught', 'hours_consumed'] as const;

/** What is summed for a class or an organization. */
export const CLAZZ_SUMS = ['scheduled', 'held', 'roll_calls_in_time', 'unmarked', ...MARKS, ...HOURS] as const;
export type ClazzSum = (typeof CLAZZ_SUMS)[number];

/** Sums of a table of figures by slice, for $1 org in [$2, $3) with the slices' beginnings $4. */
export const sumsOfFigures = <K extends string>(
  table: string,
  names: readonly K[],
  where: string,
): Statement<SumRow<K>> => {
  const counts = names.filter((name) => !HOURS.some((hours) => hours === name));
  return statement<SumRow<K>>(`
    select ${sliceOf('f.at', '$4')} as slice, ${sums(counts, 'f')},
      ${HOURS.map((name) => hundredths(`f.${name}`, name)).join(', ')}
    from ${table} as f
    where f.org_id = $1 and f.gen = ${GEN} and f.at >= $2 and f.at < $3 ${where}
    group by 1`);
};

export const clazzTotals = (tally: Tally<ClazzSum>) => ({
  scheduled: tally.scheduled,
  held: tally.held,
  present: tally.present,
  late: tally.late,
  absent: tally.absent,
  leave: tally.leave,
  makeup: tally.makeup,
  trial: tally.trial,
  hours_taught: decimal(tally.hours_taught),
  hours_consumed: decimal(tally.hours_consumed),
  roll_calls_in_time: tally.roll_calls_in_time,
});
