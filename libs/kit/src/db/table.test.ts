import { describe, expect, it } from 'vitest';
import { p } from './columns.ts';
import { table } from './table.ts';

const THING = table('thing', {
  org_id: p.text().primary(),
  id: p.integer().primary(),
  note: p.text().nullable(),
  tags: p.json<readonly string[]>(),
  size: p.integer().persist(false),
});
const thing = (id: number, note: string | null) => ({ org_id: 'o', id, note, tags: ['x'] });
const sent = (...rows: Parameters<typeof THING.toJson>[0][]) => rows.map((those) => JSON.parse(THING.toJson(those)));

describe('Rows as a JSON parameter', () => {
  it('contain the values that all rows share once', () => {
    const tags = ['x'];
    expect(sent([thing(1, null), thing(2, null)])).toEqual([
      { same: { org_id: 'o', note: null }, rows: [1, 2].map((id) => ({ id, tags })) },
    ]);
    expect(sent([thing(1, null), thing(2, null), thing(3, 'a')])).toEqual([
      { same: { org_id: 'o' }, rows: [null, null, 'a'].map((note, n) => ({ id: n + 1, note, tags })) },
    ]);
  });

  it('contain all columns if there is one row or none', () => {
    expect(sent([thing(1, 'a')], [])).toEqual([{ rows: [thing(1, 'a')] }, { rows: [] }]);
  });

  it('leave out fields that are not columns', () => {
    const more = { ...thing(1, 'a'), other: 1 };
    expect(sent([more])).toEqual([{ rows: [thing(1, 'a')] }]);
    expect(JSON.parse(THING.updateWithout('tags', 'note').toJson([thing(1, 'a'), thing(2, 'a')]))).toEqual({
      same: { org_id: 'o' },
      rows: [{ id: 1 }, { id: 2 }],
    });
  });
});
