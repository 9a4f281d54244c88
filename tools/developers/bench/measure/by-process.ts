import { basename } from 'node:path';
import { commandOf } from '../system/command.ts';
import { currentTree, TICK_US } from './cpu.ts';

/** CPU time in microseconds by what processes are. */
export type ByProcess = Map<string, number>;

const SERVICE = /[/\\]services[/\\](?<name>\w+)[/\\]src[/\\]main\.ts$/;
/** Has the services that have no process of their own. */
const RUNNER = /[/\\]?tools[/\\]start\.ts$/;
const SERVER = 'postgres and autovacuum';
/** How a process of the database tells what it is: a connection by role and database, another by its duty. */
const DATABASE = /^postgres: (?<name>\S+(?= teaching )|[a-z ]*[a-z])/;

/**
 * A service, a database connection by its role, or another program; all that are alike have one name. Workers of
 * the autovacuum come and go, and the server takes over their times: they count as one.
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

/** What processes are to somebody who asks where the time goes. */
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

/** What the processes below and including `roots` have used so far. */
export const usedBy = (roots: readonly number[]): ByProcess => {
  const sums: ByProcess = new Map();
  for (const { pid, own, ended } of currentTree(roots)) add(sums, nameOf(commandOf(pid)), (own + ended) * TICK_US);
  return sums;
};

/** What was used between two moments. A process that ended has handed its times on, and is less for it. */
export const since = (before: ByProcess, after: ByProcess): ByProcess => {
  const sums = new Map(after);
  for (const [name, us] of before) add(sums, name, -us);
  return sums;
};

export const total = (sums: ByProcess): number => [...sums.values()].reduce((all, us) => all + us, 0);

/** The sums of several, for each of so many requests, the largest first. */
export const forEach = (all: readonly ByProcess[], requests: number): ByProcess => {
  const sums: ByProcess = new Map();
  for (const one of all) for (const [name, us] of one) add(sums, name, us / requests);
  return new Map([...sums].sort(([, a], [, b]) => b - a));
};
