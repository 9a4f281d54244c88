import { describe, expect, it } from 'vitest';
import { breaking } from './additive.ts';
import { currentContracts, recordedContracts } from './record.ts';

const recorded = recordedContracts();
const current = currentContracts();

/** v1 only grows. What was recorded must still hold; `npm run contracts` records what was added. */
describe('the contracts', () => {
  it('keep every recorded call', () => {
    const broken = Object.entries(recorded.calls).flatMap(([id, before]) => {
      const after = current.calls[id];
      if (after === undefined) return [`${id} is gone`];
      const moved = before.route === after.route && before.status === after.status ? [] : [`${id} answers elsewhere`];
      const input = (['path', 'query', 'body'] as const).flatMap((part) =>
        breaking(before.input[part], after.input[part], 'input', `/${part}`),
      );
      const output = breaking(before.output, after.output, 'output');
      return [...moved, ...input.map((it) => `${id} request ${it}`), ...output.map((it) => `${id} answer ${it}`)];
    });
    expect(broken).toEqual([]);
  });

  it('keep every recorded event', () => {
    const broken = Object.entries(recorded.events).flatMap(([type, before]) =>
      breaking(before, current.events[type], 'output').map((it) => `${type} ${it}`),
    );
    expect(broken).toEqual([]);
  });

  it('are recorded', () => expect(recorded, 'run `npm run contracts` and commit the record').toEqual(current));
});

describe('a change is found to break', () => {
  const before = {
    type: 'object',
    properties: {
      a: { type: 'string' },
      b: { type: 'array', items: { type: 'object', properties: { c: { type: 'integer' } } } },
    },
    required: ['a'],
  };
  it.each([
    ['a field taken away', { ...before, properties: { a: { type: 'string' } } }, 'output', ['/b is gone']],
    [
      'another type',
      { ...before, properties: { ...before.properties, a: { type: 'integer' } } },
      'output',
      ['/a has another type'],
    ],
    ['a new mandatory field of a request', { ...before, required: ['a', 'b'] }, 'input', ['/"b" is now mandatory']],
    ['a field that may now be missing', { ...before, required: [] }, 'output', ['/"a" may now be missing']],
    ['a new optional field', { ...before, properties: { ...before.properties, d: { type: 'string' } } }, 'input', []],
    [
      'a new field in an answer',
      { ...before, properties: { ...before.properties, d: {} }, required: ['a', 'd'] },
      'output',
      [],
    ],
    [
      'something deep inside a list',
      {
        ...before,
        properties: { ...before.properties, b: { type: 'array', items: { type: 'object', properties: {} } } },
      },
      'output',
      ['/b/*/c is gone'],
    ],
  ] as const)('%s', (_case, after, io, wanted) => expect(breaking(before, after, io)).toEqual(wanted));
});
