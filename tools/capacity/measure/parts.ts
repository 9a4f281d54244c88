import { setTimeout as sleep } from 'node:timers/promises';
import { type ByProcess, since, usedBy } from '../../bench/measure/by-process.ts';
import { quiet } from '../../bench/measure/slices.ts';
import { Part } from '../figures.ts';

export type ByPart = Partial<Record<Part, number>>;

/** Which part a process is, by the name `npm run bench` has for it; the runner of the system is none. */
export const partOf = (name: string): Part | undefined => {
  const service = /^service (?<name>\w+)$/.exec(name)?.groups?.['name'];
  const role = /^postgres (?<name>\w+)_(app|worker|owner)$/.exec(name)?.groups?.['name'];
  if (role !== undefined) return Part.parse(`postgres ${role}`);
  if (name.startsWith('postgres ')) return 'postgres';
  return service === undefined ? (name === 'nats-server' ? 'broker' : undefined) : Part.parse(service);
};

/** Sums by part. */
export const byPart = (sums: ByProcess): ByPart => {
  const parts: ByPart = {};
  for (const [name, value] of sums) {
    const part = partOf(name);
    if (part !== undefined) parts[part] = (parts[part] ?? 0) + value;
  }
  return parts;
};

/** Each value by what it is for each of so many, in order of size, without what nobody would miss. */
export const forEach = (sums: ByPart, count: number, least = 0.5): ByPart =>
  Object.fromEntries(
    Object.entries(sums)
      .map(([part, value]): [string, number] => [part, Math.round((10 * value) / count) / 10])
      .filter(([, value]) => value >= least)
      .sort(([, a], [, b]) => b - a),
  );

/** Microseconds that each part used while something was done and all that it caused, beyond what it uses standing still. */
export const used = async (
  roots: readonly number[],
  idle: ByPart,
  work: () => Promise<unknown>,
): Promise<ByPart> => {
  const began = performance.now();
  const before = usedBy(roots);
  await work();
  await quiet(roots);
  const sums = byPart(since(before, usedBy(roots)));
  const tookUs = (performance.now() - began) * 1_000;
  return Object.fromEntries(
    Object.entries(sums).map(([part, us]) => [part, Math.max(0, us - (idle[Part.parse(part)] ?? 0) * tookUs)]),
  );
};

const IDLE_S = 10;

/** What each part uses standing still, as a share of a core. */
export const idleShares = async (roots: readonly number[]): Promise<ByPart> => {
  await quiet(roots);
  const before = usedBy(roots);
  await sleep(IDLE_S * 1_000);
  const sums = byPart(since(before, usedBy(roots)));
  return Object.fromEntries(Object.entries(sums).map(([part, us]) => [part, us / (IDLE_S * 1_000_000)]));
};
