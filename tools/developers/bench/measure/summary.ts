import { byPart, forEach, type Part } from './by-process.ts';
import { pairedRatio, type Ratio } from './interval.ts';
import type { Slice } from './slices.ts';

/** Milliseconds that half, and 99 of 100, were done in. */
export interface Times {
  p50: number;
  p99: number;
}

export interface Row {
  scenario: string;
  connections: number;
  contender: string;
  /** Requests a second. */
  rate: number;
  times: Times;
  /** CPU of all processes for one request, in microseconds, with what it causes after its answer. */
  cpuUs: number;
  /** The same by what the processes are, with what they use standing still. */
  parts: Record<Part, number>;
  /** Other times, by name. */
  others: Record<string, Times>;
  /** What it uses standing still, as a share of one core; not in the CPU of a request. */
  idleShare: number;
  /** What other systems used meanwhile, as a share of one core. */
  othersShare: number;
}

export interface Comparison {
  scenario: string;
  connections: number;
  of: string;
  to: string;
  rate: Ratio | undefined;
  cpu: Ratio | undefined;
}

export const timesOf = (values: readonly number[]): Times => {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
};

const sum = (slices: readonly Slice[], of: (slice: Slice) => number): number =>
  slices.reduce((total, slice) => total + of(slice), 0);

const othersOf = (slices: readonly Slice[]): Record<string, Times> => {
  const names = new Set(slices.flatMap(({ outcome }) => Object.keys(outcome.others)));
  const all = (name: string): number[] => slices.flatMap(({ outcome }) => outcome.others[name] ?? []);
  return Object.fromEntries([...names].map((name) => [name, timesOf(all(name))]));
};

export const rowOf = (scenario: string, connections: number, contender: string, slices: readonly Slice[]): Row => {
  const requests = sum(slices, (slice) => slice.requests);
  return {
    scenario,
    connections,
    contender,
    rate: requests / sum(slices, ({ seconds }) => seconds),
    times: timesOf(slices.flatMap(({ outcome }) => outcome.latencies)),
    cpuUs: sum(slices, ({ cpuUs }) => cpuUs) / requests,
    parts: byPart(
      forEach(
        slices.map(({ cpu }) => cpu),
        requests,
      ),
    ),
    others: othersOf(slices),
    idleShare: slices[0]?.idleShare ?? 0,
    othersShare: sum(slices, ({ othersShare }) => othersShare) / slices.length,
  };
};

const rateOf = ({ requests, seconds }: Slice): number => requests / seconds;
const cpuOf = ({ requests, cpuUs }: Slice): number => (requests === 0 ? 0 : cpuUs / requests);

/** Both ratios of two contenders, from their slices round by round. */
export const compare = (a: readonly Slice[], b: readonly Slice[]): Pick<Comparison, 'rate' | 'cpu'> => {
  const pairs = (of: (slice: Slice) => number) =>
    a.flatMap((slice, round): [number, number][] => {
      const other = b[round];
      return other === undefined ? [] : [[of(slice), of(other)]];
    });
  return { rate: pairedRatio(pairs(rateOf)), cpu: pairedRatio(pairs(cpuOf)) };
};
