import { describe, expect, it } from 'vitest';
import { byPart, nameOf, since, total } from './cpu.ts';

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

describe('what processes used', () => {
  const used = since(new Map([['a', 5]]), new Map(Object.entries({ a: 7, b: 4 })));

  it('is what they have more than before', () => {
    expect([...used]).toEqual([
      ['a', 2],
      ['b', 4],
    ]);
    expect(total(used)).toBe(6);
  });

  it('counts nothing twice that a process handed on at its end', () => {
    const used = since(new Map(Object.entries({ server: 1, worker: 50 })), new Map([['server', 53]]));
    expect(total(used)).toBe(2);
  });
});

it('parts are what people ask for', () => {
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
