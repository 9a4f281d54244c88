import { setTimeout as sleep } from 'node:timers/promises';
import { nameOf } from '../../bench/measure/by-process.ts';
import { currentTree, TICK_US } from '../../bench/measure/cpu.ts';
import { quiet } from '../../bench/measure/slices.ts';
import { commandOf } from '../../bench/system/command.ts';
import { Part, PARTS } from '../figures.ts';

export type ByPart = Partial<Record<Part, number>>;

/** Which part a process is, by the name `npm run bench` has for it; the runner of the system is none. */
export const partOf = (name: string): Part | undefined => {
  const service = /^service (?<name>\w+)$/.exec(name)?.groups?.['name'];
  const role = /^postgres (?<name>\w+)_(app|worker|owner)$/.exec(name)?.groups?.['name'];
  if (role !== undefined) return Part.parse(`postgres ${role}`);
  if (name.startsWith('postgres ')) return 'postgres';
  return service === undefined ? (name === 'nats-server' ? 'broker' : undefined) : Part.parse(service);
};

/** What each process has used so far, in ticks, and of those that ended below it. */
export type Snapshot = Map<number, { part: Part; own: number; ended: number }>;

const snapshot = (roots: readonly number[]): Snapshot => {
  const found: Snapshot = new Map();
  for (const { pid, own, ended } of currentTree(roots)) {
    const part = partOf(nameOf(commandOf(pid)));
    if (part !== undefined) found.set(pid, { part, own, ended });
  }
  return found;
};

const isPostgres = (part: Part): boolean => part.startsWith('postgres');

/**
 * Microseconds between two moments, by part. A connection that ended has handed all it ever used on to the server, which is less
 * by what it had used before; what remains is the server's, as is what workers did that came and went.
 */
export const between = (before: Snapshot, after: Snapshot): ByPart => {
  const parts: ByPart = {};
  const add = (part: Part, ticks: number): void => void (parts[part] = (parts[part] ?? 0) + ticks * TICK_US);
  for (const [pid, { part, own, ended }] of after) {
    const known = before.get(pid);
    add(part, own - (known?.own ?? 0));
    if (isPostgres(part)) add('postgres', ended - (known?.ended ?? 0));
  }
  for (const [pid, { part, own, ended }] of before)
    if (!after.has(pid) && isPostgres(part)) add('postgres', -own - ended);
  return parts;
};

/** Each value by what it is for each of so many, in order of size, without what nobody would miss. */
export const forEach = (sums: ByPart, count: number, least = 0.5, digits = 10): ByPart =>
  Object.fromEntries(
    Object.entries(sums)
      .map(([part, value]): [string, number] => [part, Math.round((digits * value) / count) / digits])
      .filter(([, value]) => value >= least)
      .sort(([, a], [, b]) => b - a),
  );

/** Microseconds that each part used while something was done and all that it caused, beyond what it uses standing still. */
export const used = async (roots: readonly number[], idle: ByPart, work: () => Promise<unknown>): Promise<ByPart> => {
  const began = performance.now();
  const before = snapshot(roots);
  await work();
  await quiet(roots);
  const parts = between(before, snapshot(roots));
  const tookUs = (performance.now() - began) * 1_000;
  for (const part of PARTS) parts[part] = Math.max(0, (parts[part] ?? 0) - (idle[part] ?? 0) * tookUs);
  return parts;
};

const IDLE_S = 10;

/** What each part uses standing still, as a share of a core. */
export const idleShares = async (roots: readonly number[]): Promise<ByPart> => {
  await quiet(roots);
  const us = await used(roots, {}, () => sleep(IDLE_S * 1_000));
  return forEach(us, IDLE_S * 1_000_000, 0.000_1, 10_000);
};
