import { expect, it } from 'vitest';
import { tableOf } from './figures.ts';

it('prints the median, the worst value, and whether it exceeds the target', () => {
  const table = tableOf([
    { what: 'to Today', unit: 'ms', values: [30, 10, 20.4], target: 25 },
    { what: 'to Week', unit: 'ms', values: [30, 10, 27], target: 25 },
    { what: 'what moved', unit: 'score', values: [0, 0.0123], target: 0.1 },
    { what: 'taps', unit: 'taps', values: [4] },
  ]);
  expect(table.split('\n').map((line) => line.replaceAll(/ {2,}/g, '|'))).toEqual([
    '|median|worst|times|target',
    'to Today, ms|20|30|3|25|<- at worst',
    'to Week, ms|27|30|3|25|<- beyond',
    'what moved, score|0.012|0.012|2|0.100',
    'taps, taps|4|4|1',
  ]);
});
