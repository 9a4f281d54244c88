import { describe, expect, it } from 'vitest';
import { type LogTail, withNumbered, withHighWaterMark } from './log-tail.ts';

const tail = (highWaterMark: number, numberedAbove: number[] = []): LogTail => ({
  heads: [{ log: 'domain', epoch: 0, no: 5, id: 'e5', base: 0 }],
  highWaterMark,
  numberedAbove,
});
const expectedTail = (highWaterMark: number, numberedAbove: readonly number[]): Partial<LogTail> => ({
  highWaterMark,
  numberedAbove,
});
const numbered = (...seqs: number[]) =>
  seqs.map((seq, n) => ({ log: 'domain' as const, epoch: 0, no: 6 + n, id: `e${6 + n}`, seq }));

describe('The tail of a log', () => {
  it('has its high-water mark before the first missing number', () => {
    expect(withNumbered(tail(10), numbered(11, 12, 13))).toMatchObject(expectedTail(13, []));
    expect(withNumbered(tail(10), numbered(11, 13, 14))).toMatchObject(expectedTail(11, [13, 14]));
  });

  it('moves the high-water mark when the missing entry is numbered', () => {
    const gap = withNumbered(tail(10), numbered(12, 14));
    expect(withNumbered(gap, numbered(11))).toMatchObject(expectedTail(12, [14]));
    expect(withNumbered(gap, numbered(11, 13))).toMatchObject(expectedTail(14, []));
  });

  it('moves the high-water mark over entries that were rolled back', () => {
    const gap = withNumbered(tail(10), numbered(12, 14, 17));
    expect(withHighWaterMark(gap, 15)).toMatchObject(expectedTail(15, [17]));
    expect(withHighWaterMark(gap, 16)).toMatchObject(expectedTail(17, []));
    expect(withHighWaterMark(gap, 3)).toMatchObject(expectedTail(10, [12, 14, 17]));
  });

  it('moves the head of each log to its last entry', () => {
    expect(withNumbered(tail(10), numbered(11, 12)).heads).toMatchObject([{ log: 'domain', no: 7, id: 'e7' }]);
  });
});
