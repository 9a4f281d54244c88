import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../tools/proofs/test/refusal-of.ts';
import { checkOrder, checkParent, orderWith } from './section.rules.ts';

const sections = [
  { id: 'a', parent_id: null },
  { id: 'a1', parent_id: 'a' },
  { id: 'b', parent_id: null },
];

describe('a section’s parent', () => {
  it.each([
    ['a new section below a top one', 'b', undefined, 'fine'],
    ['a new section below a nested one', 'a1', undefined, 'too_deep'],
    ['a section of another course', 'x', undefined, 'not_found'],
    ['a section below itself', 'b', 'b', 'cycle'],
    ['a section below its own child', 'a1', 'a', 'cycle'],
    ['a section that has children below another', 'b', 'a', 'too_deep'],
    ['a nested section below another top one', 'b', 'a1', 'fine'],
  ])('%s', (_name, parent, moving, expected) => {
    expect(refusalOf(() => checkParent(sections, parent, moving))).toBe(expected);
  });
});

describe('the order of sections', () => {
  it.each([
    ['to the front', 'c', 0, ['c', 'a', 'b']],
    ['to the middle', 'a', 1, ['b', 'a', 'c']],
    ['beyond the end', 'a', 99, ['b', 'c', 'a']],
    ['a new one', 'n', 1, ['a', 'n', 'b', 'c']],
  ])('moves one %s', (_name, id, position, expected) => {
    expect(orderWith(['a', 'b', 'c'], id, position)).toEqual(expected);
  });

  it.each([
    ['another order', ['b', 'a'], 'fine'],
    ['one missing', ['a'], 'order_mismatch'],
    ['one unknown', ['a', 'b', 'c'], 'order_mismatch'],
    ['one twice', ['a', 'b', 'b'], 'order_mismatch'],
  ])('%s', (_name, wanted, expected) => {
    expect(refusalOf(() => checkOrder(['a', 'b'], wanted))).toBe(expected);
  });
});
