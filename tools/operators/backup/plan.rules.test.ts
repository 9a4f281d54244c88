import { describe, expect, it } from 'vitest';
import { baseFor, isNeeded, retainedBases, type BaseFacts, neededFrom } from './plan.rules.ts';
import { lsnOf, type Segment, type TimelineRange } from './wal.rules.ts';

const SIZE = 2 ** 24;
const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 21, 10, minute));
/** A base backup between two segments of a timeline. */
const made = (name: string, from: number, to: number, minute: number, timeline = 1): BaseFacts => ({
  name,
  timeline,
  from: lsnOf(`0/${(from * SIZE + 40).toString(16)}`),
  to: lsnOf(`0/${(to * SIZE + 80).toString(16)}`),
  finished_at: at(minute),
});
const lsn = (segment: number, bytes: number) => lsnOf(`0/${(segment * SIZE + bytes).toString(16)}`);
const row = (timeline: number, ...numbers: number[]): Segment[] => numbers.map((no) => ({ timeline, no }));
const FIRST: TimelineRange[] = [{ timeline: 1, until: undefined }];

describe('The base backup of a restore', () => {
  const bases = [made('a', 2, 2, 0), made('c', 8, 9, 20), made('b', 5, 5, 10)];

  it('is the newest, without an instant', () => expect(baseFor(bases, FIRST)?.name).toBe('c'));
  it('is the newest that was finished by the instant', () => {
    expect(baseFor(bases, FIRST, at(19))?.name).toBe('b');
    expect(baseFor(bases, FIRST, at(20))?.name).toBe('c');
  });
  it('is none before the first was finished', () =>
    expect(baseFor(bases, FIRST, new Date(at(0).getTime() - 1))).toBeUndefined());
  it('is none of an abandoned timeline', () => {
    const way = [
      { timeline: 1, until: lsn(6, 0) },
      { timeline: 2, until: undefined },
    ];
    expect(baseFor(bases, way)?.name).toBe('b');
    expect(baseFor([...bases, made('d', 7, 7, 30, 2)], way)?.name).toBe('d');
    expect(baseFor([made('e', 7, 7, 30, 3)], way)).toBeUndefined();
  });
});

describe('The log that a restore needs', () => {
  it('begins with the base backup, in order', () => {
    expect(neededFrom(made('a', 3, 4, 0), FIRST, row(1, 6, 2, 3, 5, 4), SIZE)).toEqual({
      segments: row(1, 3, 4, 5, 6),
      missing: undefined,
    });
  });
  it('ends before the first missing segment', () => {
    expect(neededFrom(made('a', 3, 4, 0), FIRST, row(1, 3, 4, 6), SIZE)).toEqual({
      segments: row(1, 3, 4),
      missing: { timeline: 1, no: 5 },
    });
  });
  it('reaches to the end of the base backup at least', () => {
    expect(neededFrom(made('a', 3, 4, 0), FIRST, row(1, 3), SIZE).missing).toEqual({ timeline: 1, no: 4 });
    expect(neededFrom(made('a', 3, 4, 0), FIRST, [], SIZE).missing).toEqual({ timeline: 1, no: 3 });
  });
  it('is not the segment that a base backup ended before', () => {
    const base = { ...made('a', 3, 3, 0), to: lsn(4, 0) };
    expect(neededFrom(base, FIRST, row(1, 3), SIZE)).toEqual({ segments: row(1, 3), missing: undefined });
  });
  it('goes over to the timelines that follow, each from where the one before was left', () => {
    const way = [
      { timeline: 1, until: lsn(5, 100) },
      { timeline: 2, until: lsn(6, 0) },
      { timeline: 3, until: undefined },
    ];
    const there = [...row(1, 3, 4, 5, 6, 7), ...row(2, 5, 6), ...row(3, 6, 7)];
    expect(neededFrom(made('a', 3, 3, 0), way, there, SIZE).segments).toEqual([
      ...row(1, 3, 4, 5),
      ...row(2, 5, 6),
      ...row(3, 6, 7),
    ]);
    // The last of a timeline that was left is in the next one, too.
    expect(
      neededFrom(
        made('a', 3, 3, 0),
        way,
        there.filter((one) => one.timeline !== 1 || one.no < 5),
        SIZE,
      ).missing,
    ).toBeUndefined();
    expect(
      neededFrom(
        made('a', 3, 3, 0),
        way,
        there.filter((one) => one.timeline !== 2 || one.no > 5),
        SIZE,
      ).missing,
    ).toEqual({ timeline: 2, no: 5 });
  });
});

describe('Retention', () => {
  const bases = [made('a', 2, 2, 0), made('b', 5, 5, 10), made('c', 8, 9, 20)];

  it('keeps the newest base backups', () =>
    expect(retainedBases(bases, 2).map(({ name }) => name)).toEqual(['c', 'b']));
  it('keeps the log from the oldest of them on', () => {
    const kept = retainedBases(bases, 2);
    expect([4, 5, 8, 99].map((no) => isNeeded({ timeline: 1, no }, kept, SIZE))).toEqual([false, true, true, true]);
  });
  it('keeps the log of a base backup that begins lower because its server was restored', () => {
    expect(isNeeded({ timeline: 2, no: 3 }, [made('c', 8, 9, 20), made('d', 3, 3, 30, 2)], SIZE)).toBe(true);
  });
});
