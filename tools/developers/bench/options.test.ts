import { expect, it } from 'vitest';
import { readOptions, SCENARIOS, USAGE } from './options.ts';

const read = (...args: string[]) => {
  const options = readOptions(args);
  if (options === 'help') throw new Error('It was no question for help');
  return options;
};

it('measures everything but growth unless it is told otherwise', () => {
  const { only, connections, seconds, small } = read();
  expect({ only, connections, seconds, small }).toEqual({
    only: SCENARIOS.filter((name) => name !== 'growth'),
    connections: [1, 16, 64],
    seconds: 10,
    small: false,
  });
});

it('measures a process for each service, or several forms in turn', () => {
  expect(read().processes).toEqual(['many']);
  expect(read('--processes', 'one, many').processes).toEqual(['one', 'many']);
});

it('measures less with --small, and nothing that takes long', () => {
  const { only, connections, seconds } = read('--small');
  expect({ connections, seconds }).toEqual({ connections: [16], seconds: 1 });
  expect(only).toContain('w1');
  for (const long of ['made-anew', 'bytes', 'lag', 'roll-call-rate', 'catch-up', 'growth'])
    expect(only).not.toContain(long);
});

it.each([
  [['--only', 'lag,w1'], { only: ['lag', 'w1'], connections: [16], seconds: 1 }],
  [['--connections', '1, 64'], { connections: [1, 64], seconds: 1 }],
  [['--seconds', '5'], { connections: [16], seconds: 5 }],
])('what is said beside --small counts: %j', (args, expected) => {
  expect(read('--small', ...args)).toMatchObject(expected);
  expect(read(...args, '--small')).toMatchObject(expected);
});

it.each([
  [['--only', 'w9'], '--only'],
  [['--connections', '0'], '--connections'],
  [['--processes', 'three'], '--processes'],
  [['--seconds', 'soon'], '--seconds'],
  [['--small=yes'], '--small'],
])('refuses %j', (args, name) => {
  expect(() => readOptions(args)).toThrow(name);
});

it('explains every scenario', () => {
  for (const name of SCENARIOS) expect(USAGE).toMatch(new RegExp(`(^| {2})${name} `, 'm'));
});
