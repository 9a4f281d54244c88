import { describe, expect, it } from 'vitest';
import { type Contender, measureInTurn, type Pace, pairsOf, timesOf } from './measure.ts';

const PACE: Pace = { rounds: 5, roundsAlone: 1, warmUpS: 0, idleS: 0 };

const contender = (name: string, system: string, isFloor = false, requests = 10): Contender => ({
  name,
  system,
  isFloor,
  roots: () => [],
  load: { run: async ({ seconds }) => ({ seconds, latencies: Array.from({ length: requests }, (_, n) => n + 1) }) },
});

describe('A measurement', () => {
  const present = contender('present', 'present', false, 20);
  const before = contender('before', 'before');
  const floors = [contender('plain on present', 'present', true), contender('plain on before', 'before', true)];

  it('compares a system with the plain server on its database', () => {
    const pairs = pairsOf([present, ...floors, before]).map((pair) => pair.map(({ name }) => name));
    expect(pairs).toEqual([
      ['present', 'before'],
      ['present', 'plain on present'],
      ['before', 'plain on before'],
    ]);
  });

  it('alternates contenders and compares them round by round', async () => {
    let slices = 0;
    const measuring = { pace: PACE, seconds: 1, onSlice: () => void (slices += 1) };
    const { rows, comparisons } = await measureInTurn('w1', 16, [present, before], measuring);
    expect(slices).toBe(10);
    expect(rows.map(({ contender: name, times }) => [name, times])).toEqual([
      ['present', { p50: 10, p99: 20 }],
      ['before', { p50: 5, p99: 10 }],
    ]);
    expect(comparisons).toHaveLength(1);
    expect(comparisons[0]?.rate?.ratio).toBeCloseTo(2);
  });
});

it('reports the median and the 99th percentile', () => {
  expect(timesOf(Array.from({ length: 200 }, (_, n) => n + 1))).toEqual({ p50: 100, p99: 198 });
});
