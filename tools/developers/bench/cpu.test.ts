import { describe, expect, it } from 'vitest';
import { byPart, nameOf, parseStat, type ProcessTimes, since, ticksOf, total, treeOf } from './cpu.ts';

const of = (pid: number, parent: number, own = 0, ended = 0): ProcessTimes => ({ pid, parent, own, ended });

describe('a stat file', () => {
  const rest = 'S 4711 42 42 0 -1 4194560 3321 811 0 0 120 30 7 3 20 0 1 0 163452 226107392 7216 18446744073709551615';

  it.each([
    ['an ordinary name', 'node'],
    ['blanks', 'postgres: clazz_app teaching'],
    ['brackets', 'odd) name ('],
  ])('is read with %s', (_what, name) => {
    expect(parseStat(`4712 (${name}) ${rest}`)).toEqual({ pid: 4712, parent: 4711, own: 150, ended: 10 });
  });
});

describe('The process tree of a system', () => {
  const all = [of(1, 0, 900), of(10, 1, 5, 2), of(11, 10, 7), of(12, 11, 1, 1), of(20, 1, 50), of(21, 20, 4)];

  it('contains the descendants of its roots, in any order, and nothing else', () => {
    expect(treeOf(all.toReversed(), [10]).map(({ pid }) => pid)).toEqual([12, 11, 10]);
    expect(treeOf(all, [10, 20]).map(({ pid }) => pid)).toEqual([10, 11, 12, 20, 21]);
  });

  it('counts a root below another one once, and an ended root not at all', () => {
    expect(ticksOf(treeOf(all, [10, 11, 99]))).toBe(16);
  });

  it('loses nothing when a process ends', () => {
    const before = [of(20, 1, 50), of(21, 20, 4, 1), of(22, 20, 3)];
    const after = [of(20, 1, 50, 5), of(22, 20, 3)];
    expect(ticksOf(treeOf(after, [20]))).toBe(ticksOf(treeOf(before, [20])));
  });
});

describe('the name of a process', () => {
  it.each([
    [['/x/node', '/x/tools/developers/local/service-main.ts', '/x/services/stats/src/main.ts'], 'service stats'],
    [['postgres: stats_worker teaching 127.0.0.1(4711) idle in transaction'], 'postgres stats_worker'],
    [['postgres: stats_worker teaching [local] MERGE'], 'postgres stats_worker'],
    [['postgres: background writer '], 'postgres background writer'],
    [['postgres: io worker 1'], 'postgres io worker'],
    [['postgres: autovacuum worker teaching'], 'postgres and autovacuum'],
    [['/x/bin/postgres', '-D', '/x/data'], 'postgres and autovacuum'],
    [['/x/nats-server', '-c', '/x/nats.conf'], 'nats-server'],
    [['/x/node', 'tools/start.ts'], 'runner'],
    [['/x/node', 'tools/developers/bench.ts'], 'node, others'],
    [[], ''],
  ])('of %j is %s', (command, name) => {
    expect(nameOf(command)).toBe(name);
  });
});

describe('The CPU time of processes', () => {
  const used = since(new Map([['a', 5]]), new Map(Object.entries({ a: 7, b: 4 })));

  it('is the difference between two readings', () => {
    expect([...used]).toEqual([
      ['a', 2],
      ['b', 4],
    ]);
    expect(total(used)).toBe(6);
  });

  it('counts the time of an ended process once', () => {
    const used = since(new Map(Object.entries({ server: 1, worker: 50 })), new Map([['server', 53]]));
    expect(total(used)).toBe(2);
  });
});

it('is grouped by the parts of a system', () => {
  const sums = new Map(
    Object.entries({
      'service gateway': 1,
      'service clazz': 2,
      'service stats': 3,
      'nats-server': 4,
      'postgres clazz_app': 5,
      'postgres and autovacuum': 6,
      'node, others': 7,
    }),
  );
  expect(byPart(sums)).toEqual({ gateway: 1, services: 5, broker: 4, Postgres: 11, others: 7 });
});
