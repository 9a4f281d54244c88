import { describe, expect, it } from 'vitest';
import type { Part } from '../figures.ts';
import { between, forEach, partOf, type Snapshot } from './parts.ts';

const TICK_US = 10_000;
const at = (...processes: readonly [pid: number, part: Part, own: number, ended?: number][]): Snapshot =>
  new Map(processes.map(([pid, part, own, ended = 0]) => [pid, { part, own, ended }]));

describe('the part of a process', () => {
  it.each([
    ['service clazz', 'clazz'],
    ['service gateway', 'gateway'],
    ['nats-server', 'broker'],
    ['postgres stats_worker', 'postgres stats'],
    ['postgres clazz_app', 'postgres clazz'],
    ['postgres checkpointer', 'postgres'],
    ['postgres and autovacuum', 'postgres'],
    ['node, others', undefined],
  ])('%s is %s', (name, part) => {
    expect(partOf(name)).toBe(part);
  });
});

describe('what parts used', () => {
  it('is told process by process, and for new ones from their beginning', () => {
    const used = between(at([1, 'clazz', 5]), at([1, 'clazz', 8], [2, 'postgres clazz', 4]));
    expect(used).toEqual({ clazz: 3 * TICK_US, 'postgres clazz': 4 * TICK_US, postgres: 0 });
  });

  it('is not what a connection had used before it ended and handed that on', () => {
    const before = at([1, 'postgres', 10, 100], [2, 'postgres clazz', 70], [3, 'postgres clazz', 20]);
    const after = at([1, 'postgres', 11, 172], [3, 'postgres clazz', 25]);
    expect(between(before, after)).toEqual({ postgres: 3 * TICK_US, 'postgres clazz': 5 * TICK_US });
  });

  it('is told for each of so many, the largest first, without what is next to nothing', () => {
    expect(Object.entries(forEach({ gateway: 10, clazz: 30, stats: 1 }, 4))).toEqual([
      ['clazz', 7.5],
      ['gateway', 2.5],
    ]);
  });
});
