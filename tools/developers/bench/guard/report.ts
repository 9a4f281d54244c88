import { table } from '../../../operators/cli/table.ts';
import { timesOf } from '../measure/summary.ts';
import type { Beside, CrowdRow, FloodRow } from './measure.ts';

export interface Results {
  floods: FloodRow[];
  crowds: CrowdRow[];
}

const ms = (value: number): string => value.toFixed(1);

/** `p50 a → b` and `p99 a → b`, and how many times the latter. */
const timesBeside = (row: Beside): string[] => {
  const [alone, beside] = [timesOf(row.alone), timesOf(row.beside)];
  const factor = alone.p99 === 0 ? '-' : (beside.p99 / alone.p99).toFixed(1);
  return [`${ms(alone.p50)} → ${ms(beside.p50)}`, `${ms(alone.p99)} → ${ms(beside.p99)}`, factor];
};

const answersOf = ({ answered, seconds }: FloodRow): string =>
  Object.entries(answered)
    .map(([what, count]) => `${(count / seconds).toFixed(count / seconds < 10 ? 1 : 0)} × ${what}`)
    .join(', ') || 'nothing';

const floods = (rows: readonly FloodRow[]): string =>
  table(
    ['flood', 'measured', 'answered a second', 'gateway MiB', 'transactions', 'user p50 ms', 'p99 ms', 'times'],
    rows.map((row) => [
      row.flood,
      row.contender,
      answersOf(row),
      `${row.memory.before.toFixed(0)} + ${(row.memory.most - row.memory.before).toFixed(0)}`,
      `${row.transactions.idle} → ${row.transactions.flooded}`,
      ...timesBeside(row),
    ]),
  );

const crowds = (rows: readonly CrowdRow[]): string =>
  table(
    ['crowd', 'measured', 'its requests/s', 'user p50 ms', 'p99 ms', 'times'],
    rows.map((row) => [row.crowd, row.contender, row.perSecond.toFixed(0), ...timesBeside(row)]),
  );

const LEGEND = `user: somebody logged in, of another organization, who reads 100 times a second: alone → beside it.
gateway MiB: before + the most it grew by. transactions: of Postgres in 14 s with nobody there → with 3 s of the flood and nobody else.`;

export const report = (results: Results): string =>
  [
    ...(results.floods.length > 0 ? [floods(results.floods)] : []),
    ...(results.crowds.length > 0 ? [crowds(results.crowds)] : []),
    LEGEND,
  ].join('\n\n');
