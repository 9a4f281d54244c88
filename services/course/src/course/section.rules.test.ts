import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../tools/proofs/test/refusal-of.ts';
import { checkOrder, checkParent, moveToPosition } from './section.rules.ts';

const sections = [
  { id: 'a', parent_id: null },
  { id: 'a1', parent_id: 'a' },
  { id: 'b', parent_id: null },
];

describe('Checking the parent of a section', () => {
  it.each([
    ['allows a new section below a top-level one', 'b', undefined, 'fine'],
    ['refuses a new section below a nested one', 'a1', undefined, 'too_deep'],
    ['refuses a section of another course as parent', 'x', undefined, 'not_found'],
    ['refuses a section below itself', 'b', 'b', 'cycle'],
    ['refuses a section below its own child', 'a1', 'a', 'cycle'],
    ['refuses a section with children below another one', 'b', 'a', 'too_deep'],
    ['allows a nested section below another top-level one', 'b', 'a1', 'fine'],
  ])('%s', (_name, parent, moving, expected) => {
    expect(refusalOf(() => checkParent(sections, parent, moving))).toBe(expected);
  });
});

describe('The order of sections', () => {
  it.each([
    ['the last section to the front', 'c', 0, ['c', 'a', 'b']],
    ['the first section to the middle', 'a', 1, ['b', 'a', 'c']],
    ['a section beyond the end to the last position', 'a', 99, ['b', 'c', 'a']],
    ['a new section between two others', 'n', 1, ['a', 'n', 'b', 'c']],
  ])('moves %s', (_name, id, position, expected) => {
    expect(moveToPosition(['a', 'b', 'c'], id, position)).toEqual(expected);
  });

  it.each([
    ['allows another order of the same sections', ['b', 'a'], 'fine'],
    ['refuses a list without one of the sections', ['a'], 'order_mismatch'],
    ['refuses a list with an unknown section', ['a', 'b', 'c'], 'order_mismatch'],
    ['refuses a list with one section twice', ['a', 'b', 'b'], 'order_mismatch'],
  ])('%s', (_name, requested, expected) => {
    expect(refusalOf(() => checkOrder(['a', 'b'], requested))).toBe(expected);
  });
});
