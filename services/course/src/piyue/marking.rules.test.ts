import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../tools/proofs/test/refusal-of.ts';
import { storedSubmission } from '../../test/submission-fixture.ts';
import { isSameMark, markPoints, reasonProblems, requireMayMark, requireNotClaimedByOthers } from './marking.rules.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const FUTURE = '2026-03-01T12:10:00.000Z';
const PAST = '2026-03-01T12:00:00.000Z';
const by = (claimed_by: string, claim_expires_at = FUTURE) => ({ claimed_by, claim_expires_at });
const marked = { status: 'marked', revision: 1, score: '5.00' } as const;
const released = { ...marked, status: 'released' } as const;

describe('Claiming a submission', () => {
  it.each([
    ['is allowed without an earlier claim', {}, 'fine'],
    ['is refused while another person has a claim', by('eve'), 'claim_held'],
    ['is allowed after the claim of another person has expired', by('eve', PAST), 'fine'],
    ['is allowed again for the claimant', by('tom'), 'fine'],
  ])('%s', (_name, fields, expected) => {
    expect(refusalOf(() => requireNotClaimedByOthers(storedSubmission(fields), 'tom', NOW))).toBe(expected);
  });
});

describe('Marking a submission', () => {
  it.each([
    ['is allowed with a claim', by('tom'), null, 'fine'],
    ['is refused without a claim', {}, null, 'not_claimed'],
    ['is refused with an expired claim', by('tom', PAST), null, 'not_claimed'],
    ['is refused while another person has a claim', by('eve'), null, 'claim_held'],
    ['is allowed again for the marker', { ...marked, marked_by: 'tom' }, null, 'fine'],
    ['is allowed without a claim if a machine marked it', { ...marked, marked_by: null }, null, 'fine'],
    ['is refused without a claim if another person marked it', { ...marked, marked_by: 'eve' }, null, 'not_claimed'],
    [
      'is allowed with a claim if another person marked it',
      { ...marked, marked_by: 'eve', ...by('tom') },
      null,
      'fine',
    ],
    ['is refused without a reason after release', { ...released, marked_by: 'tom' }, null, 'invalid_request'],
    ['is allowed with a reason after release', { ...released, marked_by: 'eve' }, 'wrong key', 'fine'],
    [
      'is refused after release while another person has a claim',
      { ...released, ...by('eve') },
      'wrong key',
      'claim_held',
    ],
  ])('%s', (_name, fields, reason, expected) => {
    const it_ = storedSubmission(fields);
    const refused = refusalOf(() => requireMayMark(it_, 'tom', NOW));
    const problems = reasonProblems(it_, reason).length > 0 ? 'invalid_request' : 'fine';
    expect(refused === 'fine' ? problems : refused).toBe(expected);
  });
});

describe('A mark that is sent again', () => {
  const it_ = storedSubmission({
    ...marked,
    marked_by: 'tom',
    points: { a: '2.00', b: '3.00' },
    rubric: [{ points: '1.00', criterion: 'x' }],
  });
  const same = {
    score: '5.00',
    points: { b: '3.00', a: '2.00' },
    comment: null,
    rubric: [{ criterion: 'x', points: '1.00' }],
  };

  it.each([
    ['is no new revision if nothing differs', same, true],
    ['is a new revision with another score', { ...same, score: '5.01' }, false],
    ['is a new revision with other points', { ...same, points: { a: '2.00', b: '3.01' } }, false],
    ['is a new revision with a comment', { ...same, comment: 'x' }, false],
    ['is a new revision without its rubric', { ...same, rubric: null }, false],
  ])('%s', (_name, mark, expected) => {
    expect(isSameMark(it_, mark, 'tom')).toBe(expected);
  });

  it('is a new revision from another person', () => {
    expect(isSameMark(it_, same, 'eve')).toBe(false);
    expect(isSameMark({ ...it_, marked_by: null }, same, 'tom')).toBe(false);
  });
});

describe('The points of a mark', () => {
  const lianxi = {
    questions: [
      { id: 'a', points: '2.00' },
      { id: 'b', points: '3.10' },
    ],
    total_points: '5.10',
  };
  const paths = (request: Parameters<typeof markPoints>[0], stored = {}) =>
    markPoints(request, stored, lianxi).errors.map(({ path }) => path);

  it.each([
    ['accept the maximum of each question', { score: '5.10', points: { a: '2.00', b: '3.10' } }, []],
    ['accept a score without points', { score: '0.00' }, []],
    ['refuse a score above the points of the exercise', { score: '5.11' }, ['/body/score']],
    ['refuse more points than a question has', { score: '5.00', points: { a: '2.01' } }, ['/body/points/a']],
    [
      'refuse a score above the sum of the points',
      { score: '5.00', points: { a: '2.00', b: '2.00' } },
      ['/body/score'],
    ],
    [
      'refuse a score below the sum of the points',
      { score: '3.00', points: { a: '2.00', b: '2.00' } },
      ['/body/score'],
    ],
    [
      'report all problems at once',
      { score: '6.00', points: { a: '3.00', c: '1.00' } },
      ['/body/points/a', '/body/points/c', '/body/score'],
    ],
  ])('%s', (_name, request, expected) => expect(paths(request)).toEqual(expected));

  it('are added to the stored points of other questions', () => {
    const request = { score: '3.50', points: { b: '1.50' } };
    expect(markPoints(request, { a: '2.00' }, lianxi)).toEqual({ points: { a: '2.00', b: '1.50' }, errors: [] });
    expect(paths({ ...request, score: '1.50' }, { a: '2.00' })).toEqual(['/body/score']);
  });

  it.each([
    ['are kept if their sum is the score', '4.00', { a: '2.00', b: '2.00' }, true],
    ['are removed if all questions have points and the sum is not the score', '4.10', { a: '2.00', b: '2.00' }, false],
    ['are kept if a question without points can have the rest', '4.10', { a: '2.00' }, true],
    ['are removed if their sum exceeds the score', '1.00', { a: '2.00' }, false],
  ])('%s, when the request has only a score', (_name, score, stored, isKept) => {
    expect(markPoints({ score }, stored, lianxi)).toEqual({ points: isKept ? stored : {}, errors: [] });
  });
});
