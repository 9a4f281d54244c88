import { MarkFields } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { caller } from '../../../../tools/proofs/test/caller.ts';
import { storedSubmission } from '../../test/submission-fixture.ts';
import { claimantOf, isLate, type StoredSubmission, submissionView } from './submission.rules.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const stored = storedSubmission();
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

describe('The view of a submission for its student', () => {
  const markFields = Object.keys(MarkFields.output);
  const hidden = new Set([...markFields, 'revision', 'marked_by', 'marked_at', 'claimed_by']);

  it.each([
    ['submitted', stored],
    ['claimed', claimed],
    ['marked', marked],
  ])('contains nothing of the mark while the submission is %s', (_name, it) => {
    const seen = Object.keys(submissionView(it, STUDENT, NOW));
    expect(seen.filter((field) => hidden.has(field))).toEqual([]);
  });

  it('contains the mark but not the marker after the release', () => {
    const seen = submissionView(released, STUDENT, NOW);
    expect(seen).toMatchObject({ score: '9.00', points: { q: '9.00' }, comment: 'fine', revision: 2 });
    expect(seen).not.toHaveProperty('marked_by');
  });
});

describe('A claim on a submission', () => {
  it.each([
    ['is valid before it expires', claimed, 'tom', 'marking'],
    ['is invalid at the instant it expires', { ...claimed, claim_expires_at: NOW.toISOString() }, null, 'submitted'],
    ['does not change the status of a marked submission', { ...claimed, status: 'marked' as const }, 'tom', 'marked'],
    ['can be absent', stored, null, 'submitted'],
  ])('%s', (_name, it, claimant, status) => {
    expect(claimantOf(it, NOW)).toBe(claimant);
    expect(submissionView(it, TEACHER, NOW)).toMatchObject({ status, claimed_by: claimant });
  });
});

describe('An attempt', () => {
  it.each([
    ['is late after the due time', '2026-03-01T10:00:00.001Z', true],
    ['is in time at the due time', '2026-03-01T10:00:00.000Z', false],
    ['is in time before the due time', '2026-03-01T09:00:00.000Z', false],
  ])('%s', (_name, at, late) => {
    expect(isLate(at, '2026-03-01T10:00:00.000Z')).toBe(late);
  });

  it('is never late without a due time', () => {
    expect(isLate('2026-03-01T10:00:00.001Z', null)).toBe(false);
  });
});
