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

describe('what changed among relations', () => {
  it.each([
    ['nothing', [row('a'), row('b', END)], [row('a'), row('b', END)], []],
    ['one opened', [], [row('a')], [[null, row('a')]]],
    ['one closed', [row('a')], [row('a', END)], [[row('a'), row('a', END)]]],
    ['one reopened', [row('a', END)], [row('a')], [[row('a', END), row('a')]]],
    ['one undone: it lasted no time', [row('a')], [], [[row('a'), row('a', row('a').since)]]],
  ])('%s', (_name, before, after, expected) => {
    expect(relationDiff(before, after).map((change) => [change.was, change.row])).toEqual(expected);
  });
});
