import { expect, it } from 'vitest';
import { keysetList } from './keyset-list.ts';

const pageOf = (id: string, sort: 'at' | '-at'): string => {
  const list = keysetList({
    columns: 'id',
    shape: {},
    from: 'thing',
    id: { by: id, type: 'text' },
    sorts: { at: { by: 'at', type: 'timestamptz' } },
  });
  return list({ where: [], joins: [], sort, after: ['then', 'x'], limit: 10 }).statement.text;
};

it('adds a condition on the sort alone if the id is composed of several columns', () => {
  expect(pageOf('id', 'at')).not.toContain('at >=');
  expect(pageOf("a || ' ' || b", 'at')).toContain('at >= $1::timestamptz');
  expect(pageOf("a || ' ' || b", '-at')).toContain('at <= $1::timestamptz');
});
