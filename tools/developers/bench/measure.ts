import { setTimeout as sleep } from 'node:timers/promises';
import { byPart, type ByProcess, cpuOf, since, total, usedBy, type Part } from './cpu.ts';
import { pairedRatio, type Ratio } from './interval.ts';
import type { Load } from './scenarios.ts';

/** Something that is measured against others. */
export interface Contender {
  name: string;
  /** Contenders of one system share processes. */
  system: string;
  isFloor: boolean;
  /** Root processes whose CPU counts, with their descendants. */
  roots: () => readonly number[];
  load: Load;
}

/** Durations of a measurement, beside the requested seconds. */
export interface Pace {
  /** Slices of each contender where some are compared: five are the fewest with an interval. */
  rounds: number;
  roundsAlone: number;
  warmUpS: number;
  /** Seconds for measuring the idle system. */
  idleS: number;
}
export const FULL: Pace = { rounds: 20, roundsAlone: 4, warmUpS: 1, idleS: 2 };
export const SMALL: Pace = { rounds: 5, roundsAlone: 1, warmUpS: 0.5, idleS: 0.5 };

export const roundsOf = ({ rounds, roundsAlone }: Pace, contenders: number): number =>
  contenders > 1 ? rounds : roundsAlone;

/** The result of one contender in one round. */
interface Slice {
  seconds: number;
  latencies: readonly number[];
  lag: readonly number[];
  /** CPU of all its processes above idle, in microseconds. */
  cpuUs: number;
  /** The same by process, including idle. */
  cpu: ByProcess;
}

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
  lag: Times | undefined;
  /** CPU of one request with its consequences after the answer, in microseconds. */
  cpuUs: number;
  parts: Record<Part, number>;
  /** Idle CPU as a share of one core; not part of a request's CPU. */
  idleShare: number;
}

export interface Comparison {
  scenario: string;
  connections: number;
  of: string;
  to: string;
  rate: Ratio | undefined;
  cpu: Ratio | undefined;
}

const LOOK_MS = 60;
const QUIET_SHARE = 0.25;
const LONGEST_MS = 4_000;

/**
 * Waits until the processes have nothing left to do: a request is not over with its answer. Events are published and
 * statistics stored afterwards, and that belongs to the request's cost and not into another contender's slice.
 */
const untilQuiet = async (roots: readonly number[]): Promise<void> => {
  const deadline = Date.now() + LONGEST_MS;
  for (let [before = 0] = cpuOf([roots]); Date.now() < deadline;) {
    await sleep(LOOK_MS);
    const [now = 0] = cpuOf([roots]);
    if (now - before <= LOOK_MS * 1_000 * QUIET_SHARE) return;
    before = now;
  }
};

/** The idle CPU of the processes as a share of one core. */
export const idleShareOf = async (roots: readonly number[], seconds: number): Promise<number> => {
  const [before = 0] = cpuOf([roots]);
  await sleep(seconds * 1_000);
  const [after = 0] = cpuOf([roots]);
  return (after - before) / (seconds * 1_000_000);
};

interface Plan {
  connections: number;
  seconds: number;
}

const measureSlice = async ({ roots, load }: Contender, idleShare: number, plan: Plan): Promise<Slice> => {
  await load.prepare?.(plan);
  await untilQuiet(roots());
  const own = usedBy(roots());
  const began = performance.now();
  const { seconds, latencies, lag = [] } = await load.run(plan);
  await untilQuiet(roots());
  const cpu = since(own, usedBy(roots()));
  const cpuUs = Math.max(0, total(cpu) - idleShare * (performance.now() - began) * 1_000);
  return { seconds, latencies, lag, cpuUs, cpu };
};

/** A system that has just started compiles hot code for several seconds. */
const MOST_WARM_UPS = 10;
const STILL_FASTER = 1.05;

/** Until it gets no faster; answers how many requests a second it did. */
const warmUp = async ({ load, roots }: Contender, plan: Plan): Promise<number> => {
  let best = 0;
  for (let times = 0; times < MOST_WARM_UPS; times += 1) {
    await load.prepare?.(plan);
    const { latencies, seconds } = await load.run(plan);
    await untilQuiet(roots());
    const rate = latencies.length / seconds;
    if (rate < best * STILL_FASTER) break;
    best = rate;
  }
  return best;
};

export const timesOf = (values: readonly number[]): Times => {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
};

const sum = (slices: readonly Slice[], of: (slice: Slice) => number): number =>
  slices.reduce((all, slice) => all + of(slice), 0);

const compare = (a: readonly Slice[], b: readonly Slice[]): Pick<Comparison, 'rate' | 'cpu'> => {
  const pairs = (of: (slice: Slice) => number) =>
    a.flatMap((slice, round): [number, number][] => {
      const other = b[round];
      return other === undefined ? [] : [[of(slice), of(other)]];
    });
  return {
    rate: pairedRatio(pairs(({ latencies, seconds }) => latencies.length / seconds)),
    cpu: pairedRatio(pairs(({ latencies, cpuUs }) => cpuUs / Math.max(1, latencies.length))),
  };
};

/** The first system against each other one, and each against the plain server on its database. */
export const pairsOf = (contenders: readonly Contender[]): [Contender, Contender][] => {
  const [first, ...others] = contenders.filter(({ isFloor }) => !isFloor);
  if (first === undefined) return [];
  const floors = contenders.filter(({ isFloor }) => isFloor);
  const own = [first, ...others].flatMap((one) =>
    floors.filter(({ system }) => system === one.system).map((floor): [Contender, Contender] => [one, floor]),
  );
  return [...others.map((other): [Contender, Contender] => [first, other]), ...own];
};

/** Beginning and end of a slice, when not all connections are busy, are to be the smaller part of it. */
const REQUESTS_EACH = 4;
const SHORTEST_SLICE_S = 0.2;

export interface Measuring {
  pace: Pace;
  seconds: number;
  /** The shortest useful slice, in seconds. */
  leastS?: number;
  onSlice: () => void;
}

/**
 * Short slices alternate, and the order is reversed each time, so that changes of the machine during a run affect all contenders
 * alike.
 */
export const measureInTurn = async (
  scenario: string,
  connections: number,
  contenders: readonly Contender[],
  { pace, seconds, leastS = SHORTEST_SLICE_S, onSlice }: Measuring,
): Promise<{ rows: Row[]; comparisons: Comparison[] }> => {
  const rates: number[] = [];
  for (const one of contenders)
    rates.push(await warmUp(one, { connections, seconds: Math.max(pace.warmUpS, leastS / 2) }));
  const rounds = roundsOf(pace, contenders.length);
  const slice = Math.max(seconds / rounds, leastS, (REQUESTS_EACH * connections) / Math.min(...rates));
  const idle = new Map<Contender, number>();
  for (const one of contenders) idle.set(one, await idleShareOf(one.roots(), pace.idleS));
  const slices = new Map(contenders.map((one) => [one, new Array<Slice>()]));
  for (let round = 0; round < rounds; round += 1)
    for (const one of round % 2 === 0 ? contenders : contenders.toReversed()) {
      slices.get(one)?.push(await measureSlice(one, idle.get(one) ?? 0, { connections, seconds: slice }));
      onSlice();
    }
  const rows = contenders.map((one): Row => {
    const all = slices.get(one) ?? [];
    const requests = sum(all, ({ latencies }) => latencies.length);
    const lag = all.flatMap((slice) => slice.lag);
    const cpu: ByProcess = new Map();
    for (const slice of all) for (const [name, us] of slice.cpu) cpu.set(name, (cpu.get(name) ?? 0) + us / requests);
    return {
      scenario,
      connections,
      contender: one.name,
      rate: requests / sum(all, (slice) => slice.seconds),
      times: timesOf(all.flatMap(({ latencies }) => latencies)),
      lag: lag.length === 0 ? undefined : timesOf(lag),
      cpuUs: sum(all, ({ cpuUs }) => cpuUs) / requests,
      parts: byPart(cpu),
      idleShare: idle.get(one) ?? 0,
    };
  });
  const comparisons = pairsOf(contenders).map(([of, to]) => ({
    scenario,
    connections,
    of: of.name,
    to: to.name,
    ...compare(slices.get(of) ?? [], slices.get(to) ?? []),
  }));
  return { rows, comparisons };
};
