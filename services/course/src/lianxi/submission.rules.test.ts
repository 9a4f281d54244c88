import { MarkFields } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { caller } from '../../../../tools/proofs/test/caller.ts';
import { createSubmission } from '../../test/create-submission.ts';
import { claimantOf, isLate, type StoredSubmission, viewOf } from './submission.rules.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const stored = createSubmission();
const claimed = { ...stored, claimed_by: 'tom', claim_expires_at: '2026-03-01T12:00:00.001Z' };
const marked: StoredSubmission = {
  ...stored,
  status: 'marked',
  revision: 2,
  score: '9.00',
  points: { q: '9.00' },
  comment: 'fine',
  rubric: [{ criterion: 'style', points: '1.00' }],
  marked_by: 'tom',
  marked_at: '2026-03-01T11:00:00.000Z',
};
const released: StoredSubmission = { ...marked, status: 'released', released_at: '2026-03-01T11:30:00.000Z' };
const STUDENT = caller('x', 'STUDENT');
const TEACHER = caller('x', 'TEACHER');

describe('what a student sees of a submission', () => {
  const said = Object.keys(MarkFields.output);
  const secret = new Set([...said, 'revision', 'marked_by', 'marked_at', 'claimed_by']);

  it.each([
    ['waiting', stored],
    ['claimed', claimed],
    ['marked', marked],
  ])('is nothing of the mark while it is %s', (_name, it) => {
    const seen = Object.keys(viewOf(it, STUDENT, NOW));
    expect(seen.filter((field) => secret.has(field))).toEqual([]);
  });

  it('is the mark but not the marker once it is released', () => {
    const seen = viewOf(released, STUDENT, NOW);
    expect(seen).toMatchObject({ score: '9.00', points: { q: '9.00' }, comment: 'fine', revision: 2 });
    expect(seen).not.toHaveProperty('marked_by');
  });
});

describe('a claim', () => {
  it.each([
    ['lasts until it expires', claimed, 'tom', 'marking'],
    ['is over at the instant it expires', { ...claimed, claim_expires_at: NOW.toISOString() }, null, 'submitted'],
    ['does not hide that there is a mark', { ...claimed, status: 'marked' as const }, 'tom', 'marked'],
    ['may never have been', stored, null, 'submitted'],
  ])('%s', (_name, it, claimant, status) => {
    expect(claimantOf(it, NOW)).toBe(claimant);
    expect(viewOf(it, TEACHER, NOW)).toMatchObject({ status, claimed_by: claimant });
  });
});

describe('an attempt is late', () => {
  it.each([
    ['after the due time', '2026-03-01T10:00:00.001Z', true],
    ['not at the due time', '2026-03-01T10:00:00.000Z', false],
    ['not before it', '2026-03-01T09:00:00.000Z', false],
  ])('%s', (_name, at, late) => {
    expect(isLate(at, '2026-03-01T10:00:00.000Z')).toBe(late);
  });

  it('never without a due time', () => {
    expect(isLate('2026-03-01T10:00:00.001Z', null)).toBe(false);
  });
});
