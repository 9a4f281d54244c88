import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../tools/proofs/test/refusal-of.ts';
import { createSubmission } from '../../test/create-submission.ts';
import { isSameMark, pointsOf, reasonProblems, requireMayMark, requireNotClaimedByOthers } from './marking.rules.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const SOON = '2026-03-01T12:10:00.000Z';
const PAST = '2026-03-01T12:00:00.000Z';
const by = (claimed_by: string, claim_expires_at = SOON) => ({ claimed_by, claim_expires_at });
const marked = { status: 'marked', revision: 1, score: '5.00' } as const;
const released = { ...marked, status: 'released' } as const;

describe('claiming', () => {
  it.each([
    ['a free submission', {}, 'fine'],
    ['one claimed by somebody else', by('eve'), 'claim_held'],
    ['one whose claim has expired', by('eve', PAST), 'fine'],
    ['one that is claimed already by oneself', by('tom'), 'fine'],
  ])('%s', (_name, fields, expected) => {
    expect(refusalOf(() => requireNotClaimedByOthers(createSubmission(fields), 'tom', NOW))).toBe(expected);
  });
});

describe('marking', () => {
  it.each([
    ['with the claim', by('tom'), null, 'fine'],
    ['without a claim', {}, null, 'not_claimed'],
    ['with an expired claim', by('tom', PAST), null, 'not_claimed'],
    ['while it is claimed by somebody else', by('eve'), null, 'claim_held'],
    ['one’s own mark again', { ...marked, marked_by: 'tom' }, null, 'fine'],
    ['a machine’s mark again', { ...marked, marked_by: null }, null, 'fine'],
    ['somebody else’s mark without a claim', { ...marked, marked_by: 'eve' }, null, 'not_claimed'],
    ['somebody else’s mark with a claim', { ...marked, marked_by: 'eve', ...by('tom') }, null, 'fine'],
    ['a released mark without a reason', { ...released, marked_by: 'tom' }, null, 'invalid_request'],
    ['a released mark with a reason', { ...released, marked_by: 'eve' }, 'wrong key', 'fine'],
    ['a released mark that somebody else has claimed', { ...released, ...by('eve') }, 'wrong key', 'claim_held'],
  ])('%s', (_name, fields, reason, expected) => {
    const it_ = createSubmission(fields);
    const refused = refusalOf(() => requireMayMark(it_, 'tom', NOW));
    const problems = reasonProblems(it_, reason).length > 0 ? 'invalid_request' : 'fine';
    expect(refused === 'fine' ? problems : refused).toBe(expected);
  });
});

describe('a mark that is sent again', () => {
  const it_ = createSubmission({
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
    ['is no new revision', same, true],
    ['with another score is one', { ...same, score: '5.01' }, false],
    ['with other points is one', { ...same, points: { a: '2.00', b: '3.01' } }, false],
    ['with a comment is one', { ...same, comment: 'x' }, false],
    ['without its rubric is one', { ...same, rubric: null }, false],
  ])('%s', (_name, mark, expected) => {
    expect(isSameMark(it_, mark, 'tom')).toBe(expected);
  });

  it('by somebody else is another revision', () => {
    expect(isSameMark(it_, same, 'eve')).toBe(false);
    expect(isSameMark({ ...it_, marked_by: null }, same, 'tom')).toBe(false);
  });
});

describe('the points of a mark', () => {
  const lianxi = {
    questions: [
      { id: 'a', points: '2.00' },
      { id: 'b', points: '3.10' },
    ],
    total_points: '5.10',
  };
  const paths = (given: Parameters<typeof pointsOf>[0], stored = {}) =>
    pointsOf(given, stored, lianxi).errors.map(({ path }) => path);

  it.each([
    ['all there is', { score: '5.10', points: { a: '2.00', b: '3.10' } }, []],
    ['nothing', { score: '0.00' }, []],
    ['more than there is', { score: '5.11' }, ['/body/score']],
    ['more than a question is worth', { score: '5.00', points: { a: '2.01' } }, ['/body/points/a']],
    ['more than the sum', { score: '5.00', points: { a: '2.00', b: '2.00' } }, ['/body/score']],
    ['less than the sum', { score: '3.00', points: { a: '2.00', b: '2.00' } }, ['/body/score']],
    [
      'everything wrong',
      { score: '6.00', points: { a: '3.00', c: '1.00' } },
      ['/body/points/a', '/body/points/c', '/body/score'],
    ],
  ])('may be %s', (_name, given, expected) => expect(paths(given)).toEqual(expected));

  it('add to those that stand', () => {
    const given = { score: '3.50', points: { b: '1.50' } };
    expect(pointsOf(given, { a: '2.00' }, lianxi)).toEqual({ points: { a: '2.00', b: '1.50' }, errors: [] });
    expect(paths({ ...given, score: '1.50' }, { a: '2.00' })).toEqual(['/body/score']);
  });

  it.each([
    ['kept by their own sum', '4.00', { a: '2.00', b: '2.00' }, true],
    ['gone when all questions have some and they no longer add up', '4.10', { a: '2.00', b: '2.00' }, false],
    ['kept while another question may hold the rest', '4.10', { a: '2.00' }, true],
    ['gone when they are more than the score', '1.00', { a: '2.00' }, false],
  ])('under a score alone are %s', (_name, score, stored, kept) => {
    expect(pointsOf({ score }, stored, lianxi)).toEqual({ points: kept ? stored : {}, errors: [] });
  });
});
