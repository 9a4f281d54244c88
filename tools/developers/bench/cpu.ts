import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fieldsOfStat } from '@teaching/local/proc-stat.ts';

/** One process as Linux accounts for it, in ticks. */
export interface ProcessTimes {
  pid: number;
  parent: number;
  /** Of the process itself, all its threads. */
  own: number;
  /** Of its children that have ended and been waited for, with theirs. */
  ended: number;
}

/** Linux reports times in hundredths of a second, whatever its own clock. */
export const TICK_US = 10_000;

/** Reads a `stat` file. */
export const parseStat = (text: string): ProcessTimes => {
  const fields = fieldsOfStat(text);
  const field = (n: number): number => Number(fields(n));
  return { pid: Number.parseInt(text, 10), parent: field(4), own: field(14) + field(15), ended: field(16) + field(17) };
};

/** The processes below and including `roots`. */
export const treeOf = (all: readonly ProcessTimes[], roots: readonly number[]): ProcessTimes[] => {
  const children = Map.groupBy(all, ({ parent }) => parent);
  const seen = new Set<number>(roots);
  for (const pid of seen) for (const child of children.get(pid) ?? []) seen.add(child.pid);
  return all.filter(({ pid }) => seen.has(pid));
};

/**
 * Everything the tree has used so far. A process that ends hands its times on to the one that waits for it (a
 * database connection to the postmaster), so nothing is lost and nothing counted twice.
 */
export const ticksOf = (tree: readonly ProcessTimes[]): number =>
  tree.reduce((sum, { own, ended }) => sum + own + ended, 0);

const read = (pid: string): ProcessTimes[] => {
  try {
    return [parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))];
  } catch {
    // Ended since the folder was listed.
    return [];
  }
};

const processes = (): ProcessTimes[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(read);

/** The processes below and including `roots` as they are now. */
export const currentTree = (roots: readonly number[]): ProcessTimes[] => treeOf(processes(), roots);

/** CPU time in microseconds that each group of processes has used so far, all taken at one moment. */
export const cpuOf = (groups: readonly (readonly number[])[]): number[] => {
  const all = processes();
  return groups.map((roots) => ticksOf(treeOf(all, roots)) * TICK_US);
};

/** The command line of a process; empty if it has ended. A database process shows its activity here. */
export const commandOf = (pid: number): string[] => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
  } catch {
    return [];
  }
};

/** CPU time in microseconds by kind of process. */
export type ByProcess = Map<string, number>;

const SERVICE = /[/\\]services[/\\](?<name>\w+)[/\\]src[/\\]main\.ts$/;
/** Has the services that have no process of their own. */
const RUNNER = /[/\\]?tools[/\\]start\.ts$/;
const SERVER = 'postgres and autovacuum';
/** How a database process names itself: a connection by role and database, another process by its duty. */
const DATABASE = /^postgres: (?<name>\S+(?= teaching )|[a-z ]*[a-z])/;

/**
 * The name of a process's kind: a service, a database connection by its role, or another program. Autovacuum workers come and go,
 * and the server takes over their times, so they share one name with it.
 */
export const nameOf = (command: readonly string[]): string => {
  const [program = ''] = command;
  const service = command.map((word) => SERVICE.exec(word)?.groups?.['name']).find((name) => name !== undefined);
  if (service !== undefined) return `service ${service}`;
  if (command.some((word) => RUNNER.test(word))) return 'runner';
  if (program.startsWith('postgres: autovacuum worker')) return SERVER;
  const database = DATABASE.exec(program)?.groups?.['name'];
  if (database !== undefined) return `postgres ${database}`;
  const file = basename(program);
  if (file === 'postgres') return SERVER;
  return file === 'node' ? 'node, others' : file;
};

/** The parts of a system in reports. */
export const PARTS = ['gateway', 'services', 'broker', 'Postgres', 'others'] as const;
export type Part = (typeof PARTS)[number];

/** By the name that `nameOf` has for it. */
export const partOf = (name: string): Part => {
  if (name === 'service gateway') return 'gateway';
  if (name.startsWith('service ') || name === 'runner') return 'services';
  if (name.startsWith('postgres ')) return 'Postgres';
  return name === 'nats-server' ? 'broker' : 'others';
};

/** The same sums by part. */
export const byPart = (sums: ByProcess): Record<Part, number> => {
  const parts = { gateway: 0, services: 0, broker: 0, Postgres: 0, others: 0 };
  for (const [name, value] of sums) parts[partOf(name)] += value;
  return parts;
};

const add = (sums: ByProcess, name: string, us: number): void => void sums.set(name, (sums.get(name) ?? 0) + us);

/** The CPU time so far of the processes below and including `roots`. */
export const usedBy = (roots: readonly number[]): ByProcess => {
  const sums: ByProcess = new Map();
  for (const { pid, own, ended } of currentTree(roots)) add(sums, nameOf(commandOf(pid)), (own + ended) * TICK_US);
  return sums;
};

/** The CPU time between two readings. A process that ended has passed its time on and may have less. */
export const since = (before: ByProcess, after: ByProcess): ByProcess => {
  const sums = new Map(after);
  for (const [name, us] of before) add(sums, name, -us);
  return sums;
};

export const total = (sums: ByProcess): number => [...sums.values()].reduce((all, us) => all + us, 0);
