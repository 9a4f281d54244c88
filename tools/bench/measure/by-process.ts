import { basename } from 'node:path';
import { commandOf } from '../system/command.ts';
import { currentTree, TICK_US } from './cpu.ts';

/** CPU time in microseconds by what processes are. */
export type ByProcess = Map<string, number>;

const SERVICE = /[/\\]services[/\\](?<name>\w+)[/\\]src[/\\]main\.ts$/;
/** How a process of the database tells what it is: a connection by role and database, another by its duty. */
const DATABASE = /^postgres: (?<name>\S+(?= teaching )|[a-z ]*[a-z])/;

/** A service, a database connection by its role, or another program; all that are alike have one name. */
export const nameOf = (command: readonly string[]): string => {
  const [program = ''] = command;
  const service = command.map((word) => SERVICE.exec(word)?.groups?.['name']).find((name) => name !== undefined);
  if (service !== undefined) return `service ${service}`;
  const database = DATABASE.exec(program)?.groups?.['name'];
  if (database !== undefined) return `postgres ${database}`;
  return basename(program) === 'node' ? 'node, others' : basename(program);
};

const add = (sums: ByProcess, name: string, us: number): void => void sums.set(name, (sums.get(name) ?? 0) + us);

/** What the processes below and including `roots` have used so far. */
export const usedBy = (roots: readonly number[]): ByProcess => {
  const sums: ByProcess = new Map();
  for (const { pid, own, ended } of currentTree(roots)) add(sums, nameOf(commandOf(pid)), (own + ended) * TICK_US);
  return sums;
};

export const since = (before: ByProcess, after: ByProcess): ByProcess =>
  new Map([...after].map(([name, us]) => [name, us - (before.get(name) ?? 0)]));

export const total = (sums: ByProcess): number => [...sums.values()].reduce((all, us) => all + us, 0);

/** The sums of several, for each of so many requests, the largest first. */
export const forEach = (all: readonly ByProcess[], requests: number): ByProcess => {
  const sums: ByProcess = new Map();
  for (const one of all) for (const [name, us] of one) add(sums, name, us / requests);
  return new Map([...sums].sort(([, a], [, b]) => b - a));
};
