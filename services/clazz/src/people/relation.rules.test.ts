import { describe, expect, it } from 'vitest';
import { relationDiff, type RelationRow } from './relation.rules.ts';

const row = (id: string, until: string | null = null): RelationRow => ({
  id,
  teacher_id: 't',
  student_id: id,
  role: 'lead',
  since: '2030-01-01T00:00:00.000Z',
  until,
});
const END = '2030-02-01T00:00:00.000Z';

describe('The difference of relations contains', () => {
  it.each([
    ['nothing when nothing changed', [row('a'), row('b', END)], [row('a'), row('b', END)], []],
    ['an opened relation', [], [row('a')], [[null, row('a')]]],
    ['a closed relation', [row('a')], [row('a', END)], [[row('a'), row('a', END)]]],
    ['a reopened relation', [row('a', END)], [row('a')], [[row('a', END), row('a')]]],
    ['a removed relation, which ends where it began', [row('a')], [], [[row('a'), row('a', row('a').since)]]],
  ])('%s', (_name, before, after, expected) => {
    expect(relationDiff(before, after).map((change) => [change.before, change.after])).toEqual(expected);
  });
});
