import { table } from '../../operators/cli/table.ts';
import { PARTS } from './measure/by-process.ts';
import type { Bytes } from './measure/bytes.ts';
import type { Growth } from './measure/growth.ts';
import type { Ratio } from './measure/interval.ts';
import type { Start } from './measure/starts.ts';
import type { Comparison, Row, Times } from './measure/summary.ts';

export interface Results {
  starts: Start[];
  rows: Row[];
  comparisons: Comparison[];
  bytes: Bytes[];
  processes: Processes[];
  growth: Growth[];
}

export const noResults = (): Results => ({
  starts: [],
  rows: [],
  comparisons: [],
  bytes: [],
  processes: [],
  growth: [],
});

/** CPU of one request by what processes are, in microseconds, with what they use standing still. */
export interface Processes {
  scenario: string;
  contender: string;
  cpuUs: Record<string, number>;
}

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const ms = ({ p50, p99 }: Times): string[] => [p50, p99].map((value) => (value === 0 ? '-' : value.toFixed(2)));
const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

const ratio = (it: Ratio | undefined): string =>
  it === undefined ? '-' : `${it.ratio.toFixed(3)} [${it.low.toFixed(3)}, ${it.high.toFixed(3)}]`;

const LARGEST = 12;

const speeds = (rows: readonly Row[]): string =>
  table(
    ['scenario', 'connections', 'measured', 'requests/s', 'p50 ms', 'p99 ms', 'CPU us', 'idle', 'others'],
    rows.flatMap((row) => [
      [
        row.scenario,
        String(row.connections),
        row.contender,
        row.rate < 1_000 ? row.rate.toFixed(1) : whole(row.rate),
        ...ms(row.times),
        whole(row.cpuUs),
        percent(row.idleShare),
        percent(row.othersShare),
      ],
      ...Object.entries(row.others).map(([name, times]) => ['', '', `  ${name}`, '', ...ms(times), '', '', '']),
    ]),
  );

const seconds = (ms: number): string => (ms / 1_000).toFixed(2);

const startsTable = (starts: readonly Start[]): string =>
  table(
    ['start', 'first s', 'again s', ...PARTS.map((part) => `${part} MiB`), 'all MiB'],
    starts.map(({ contender, firstMs, againMs, memory }) => [
      contender,
      ...[firstMs, againMs].map(seconds),
      ...PARTS.map((part) => whole(memory[part])),
      whole(PARTS.reduce((sum, part) => sum + memory[part], 0)),
    ]),
  );

/** Where the time goes. */
const partsTable = (rows: readonly Row[]): string =>
  table(
    ['scenario', 'connections', 'measured', ...PARTS.map((part) => `${part} us`)],
    rows.map(({ scenario, connections, contender, parts }) => [
      scenario,
      String(connections),
      contender,
      ...PARTS.map((part) => whole(parts[part])),
    ]),
  );

const ratios = (comparisons: readonly Comparison[]): string =>
  table(
    ['scenario', 'connections', 'ratio', 'requests/s [95%]', 'CPU for each [95%]'],
    comparisons.map(({ scenario, connections, of, to, rate, cpu }) => [
      scenario,
      String(connections),
      `${of} / ${to}`,
      ratio(rate),
      ratio(cpu),
    ]),
  );

const bytesTable = (it: Bytes): string => {
  const rows = [{ ...it, name: 'all' }, ...it.schemas, ...it.tables.slice(0, LARGEST)];
  const head = `Bytes of one ${it.name}, ${it.contender}, of ${it.requests}: WAL ${whole(it.wal)}`;
  const cells = rows.map(({ name, table, live, index }) => [name, ...[table, live, index, table + index].map(whole)]);
  return `${head}\n${table(['', 'table', 'of it rows', 'index', 'table and index'], cells)}`;
};

const SMALLEST_US = 1;

const processesTable = ({ scenario, contender, cpuUs }: Processes): string => {
  const all = Object.values(cpuUs).reduce((sum, us) => sum + us, 0);
  const rows = Object.entries(cpuUs).filter(([, us]) => us >= SMALLEST_US);
  return table(
    [`${scenario}, ${contender}`, 'CPU us', 'share'],
    rows.map(([name, us]) => [name, whole(us), percent(us / all)]),
  );
};

const LEGEND = `CPU us: all processes of the system for one request and what it causes, beyond what they use standing still.
idle: what they use standing still. others: what the other systems used meanwhile. Both are shares of one core.`;

const PARTS_LEGEND = 'us: CPU of one request by what processes are, with what they use standing still.';

/** What is measured is never exactly alike. */
const FLAT = { low: 1.1, high: 1.3 };

const verdict = (factor: Ratio | undefined): string =>
  factor !== undefined && factor.low < FLAT.low && factor.high < FLAT.high ? `flat: ${ratio(factor)}` : ratio(factor);

const GROWTH_LEGEND = `us: CPU of one request. ms: p50. flat: from the smallest to the largest certainly less than ${FLAT.high} times, and perhaps
less than ${FLAT.low} times the CPU.`;

const growthTable = (all: readonly Growth[]): string => {
  const columns = Array.from({ length: Math.max(...all.map(({ costs }) => costs.length)) }, (_, n) => n);
  const cost = (it: Growth['costs'][number] | undefined): string =>
    it === undefined ? '' : `${it.size}: ${whole(it.cpuUs)} us, ${it.p50.toFixed(2)} ms`;
  const rows = all.map(({ operation, dimension, costs, factor }) => [
    operation,
    dimension,
    ...columns.map((n) => cost(costs[n])),
    verdict(factor),
  ]);
  const head = columns.map((n) => (n === 0 ? 'cost at each size' : ''));
  return `${table(['operation', 'by', ...head, 'largest / smallest [95%]'], rows)}\n${GROWTH_LEGEND}`;
};

/** Everything as text, the tables by blank lines apart. */
export const report = ({ starts, rows, comparisons, bytes, processes, growth }: Results): string =>
  [
    ...(starts.length > 0 ? [startsTable(starts)] : []),
    ...bytes.map(bytesTable),
    ...(rows.length > 0 ? [`${speeds(rows)}\n${LEGEND}`, `${partsTable(rows)}\n${PARTS_LEGEND}`] : []),
    ...(comparisons.length > 0 ? [ratios(comparisons)] : []),
    ...processes.map(processesTable),
    ...(growth.length > 0 ? [growthTable(growth)] : []),
  ].join('\n\n');
