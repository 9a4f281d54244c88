import { expect, it } from 'vitest';
import { pairsOf } from './loads.ts';
import type { Contender } from './slices.ts';

const contender = (system: string, floor?: string): Contender => ({
  name: floor === undefined ? system : `${floor} on ${system}`,
  system,
  ...(floor === undefined ? {} : { floor }),
  roots: () => [],
  run: () => Promise.reject(new Error('nothing is run here')),
});

const named = (...contenders: Contender[]): string[] => pairsOf(contenders).map(([a, b]) => `${a.name} / ${b.name}`);

it('compares a system with each floor', () => {
  expect(named(contender('present'), contender('present', 'statements'), contender('present', 'plain'))).toEqual([
    'present / statements on present',
    'present / plain on present',
  ]);
});

it('compares two systems, each with its own floors, and floors of one kind with each other', () => {
  const of = (system: string) => [contender(system), contender(system, 'statements'), contender(system, 'plain')];
  expect(named(...of('present'), ...of('0.1.0'))).toEqual([
    'present / 0.1.0',
    'present / statements on present',
    'present / plain on present',
    '0.1.0 / statements on 0.1.0',
    '0.1.0 / plain on 0.1.0',
    'statements on present / statements on 0.1.0',
    'plain on present / plain on 0.1.0',
  ]);
});

it('compares the first of several systems with each other one', () => {
  expect(named(contender('one'), contender('two'), contender('many'))).toEqual(['one / two', 'one / many']);
});

it('compares nothing that stands alone', () => {
  expect(named(contender('present'))).toEqual([]);
});
