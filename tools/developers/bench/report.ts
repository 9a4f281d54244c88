import { table } from '../../operators/cli/table.ts';
import { PARTS, type Part } from './cpu.ts';
import type { Ratio } from './interval.ts';
import type { Comparison, Row, Times } from './measure.ts';

/** Start times and idle costs of a system. */
export interface IdleMeasurement {
  contender: string;
  /** Until it takes requests, in milliseconds: with a new database, and on data that is there. */
  firstMs: number;
  againMs: number;
  /** Idle CPU, in milliseconds a second, by kind of process. */
  idle: Record<Part, number>;
  /** In MiB. Shared memory is divided among its processes. */
  memory: Record<Part, number>;
}

export interface Results {
  standing: IdleMeasurement[];
  rows: Row[];
  comparisons: Comparison[];
}

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const ms = ({ p50, p99 }: Times): string[] => [p50, p99].map((value) => value.toFixed(2));
const shown = (it: Ratio | undefined): string =>
  it === undefined ? '-' : `${it.ratio.toFixed(3)} [${it.low.toFixed(3)}, ${it.high.toFixed(3)}]`;
/** Of the system itself: Postgres is another's program. */
const OWN = PARTS.filter((part) => part !== 'Postgres');
const own = (values: Record<Part, number>): number => OWN.reduce((sum, part) => sum + values[part], 0);

const standingTable = (all: readonly IdleMeasurement[]): string =>
  table(
    ['start', 'first s', 'again s', 'idle ms/s', 'Postgres ms/s', ...PARTS.map((part) => `${part} MiB`), 'own MiB'],
    all.map(({ contender, firstMs, againMs, idle, memory }) => [
      contender,
      ...[firstMs, againMs].map((value) => (value / 1_000).toFixed(2)),
      own(idle).toFixed(1),
      idle.Postgres.toFixed(1),
      ...PARTS.map((part) => whole(memory[part])),
      whole(own(memory)),
    ]),
  );

const speedTable = (rows: readonly Row[]): string =>
  table(
    ['scenario', 'connections', 'measured', 'requests/s', 'p50 ms', 'p99 ms', 'CPU us', ...PARTS, 'idle'],
    rows.flatMap((row) => [
      [
        row.scenario,
        String(row.connections),
        row.contender,
        row.rate < 1_000 ? row.rate.toFixed(1) : whole(row.rate),
        ...ms(row.times),
        whole(row.cpuUs),
        ...PARTS.map((part) => whole(row.parts[part])),
        `${(100 * row.idleShare).toFixed(1)}%`,
      ],
      ...(row.lag === undefined ? [] : [['', '', '  until stored', '', ...ms(row.lag), '']]),
    ]),
  );

const ratioTable = (comparisons: readonly Comparison[]): string =>
  table(
    ['scenario', 'connections', 'ratio', 'requests/s [95%]', 'CPU for each [95%]'],
    comparisons.map(({ scenario, connections, of, to, rate, cpu }) => [
      scenario,
      String(connections),
      `${of} / ${to}`,
      shown(rate),
      shown(cpu),
    ]),
  );

const LEGEND = `CPU us: all processes of the system for one request and what it causes, beyond what they use standing still;
beside it by what they are, with that. idle: what they use standing still, as a share of one core.`;

/** Everything as text, the tables by blank lines apart. */
export const report = ({ standing, rows, comparisons }: Results): string =>
  [
    ...(standing.length > 0 ? [standingTable(standing)] : []),
    ...(rows.length > 0 ? [`${speedTable(rows)}\n${LEGEND}`] : []),
    ...(comparisons.length > 0 ? [ratioTable(comparisons)] : []),
  ].join('\n\n');
