import { describe, expect, it } from 'vitest';
import { receivedDeadline, sentDeadline } from './call-deadline.ts';
import { PeerClock } from './peer-clock.ts';

const HOUR_MS = 3_600_000;
/** The monotonic clocks of both processes, and the wall clock of the caller, at the moment of sending. */
const [CALLER, INSTANCE, WALL] = [1_000, 50_000, 1_800_000_000_000];
const sent = sentDeadline(CALLER + 10_000, INSTANCE, CALLER, WALL);

describe('The deadline of a call', () => {
  it.each([
    ['an hour behind', -HOUR_MS],
    ['20 seconds ahead', 20_000],
    ['an hour ahead', HOUR_MS],
  ])('is ten seconds away at an instance whose clock is %s', (_case, skew_ms) => {
    expect(receivedDeadline(sent, INSTANCE, WALL + skew_ms)).toBe(INSTANCE + 10_000);
  });

  it('counts from the moment of sending, so a call that was on its way for longer is late', () => {
    expect(receivedDeadline(sent, INSTANCE + 4_000)).toBe(INSTANCE + 10_000);
    expect(receivedDeadline(sent, INSTANCE + 15_000)).toBeLessThan(INSTANCE + 15_000);
  });

  it('counts from the receipt if the caller did not know the clock of the instance, or expects it too far ahead', () => {
    const toAny = sentDeadline(CALLER + 10_000, undefined, CALLER, WALL);
    expect(receivedDeadline(toAny, INSTANCE)).toBe(INSTANCE + 10_000);
    expect(receivedDeadline(sent, INSTANCE - 300)).toBe(INSTANCE - 300 + 10_000);
  });

  it('is understood by an instance of version 0.2.0, and taken from a caller of that version', () => {
    expect(sent.deadline).toBe(WALL + 10_000);
    expect(receivedDeadline({ deadline: WALL + 7_000 }, INSTANCE, WALL)).toBe(INSTANCE + 7_000);
  });
});

describe('The clock of another process', () => {
  const beat = (monotonic_ms: number) => ({ at: WALL + HOUR_MS + monotonic_ms, monotonic_ms });

  it('is known from its heartbeats, of which the least delayed counts', () => {
    const clock = new PeerClock();
    expect([clock.skew_ms, clock.monotonicAt(0)]).toEqual([undefined, undefined]);
    clock.add(beat(50_000), 1_300, WALL + 50_300);
    clock.add(beat(50_500), 1_510, WALL + 50_510);
    expect(clock.monotonicAt(2_000)).toBe(50_990);
    expect(clock.skew_ms).toBe(HOUR_MS - 10);
  });

  it('is that of the latest eight heartbeats, after the wall clock was corrected', () => {
    const clock = new PeerClock();
    clock.add(beat(0), 0, WALL);
    for (let n = 1; n <= 8; n += 1) clock.add({ at: WALL, monotonic_ms: n * 500 }, n * 500, WALL);
    expect(clock.skew_ms).toBe(0);
  });

  it('is unknown in version 0.2.0, which sends no time', () => {
    const clock = new PeerClock();
    clock.add({});
    expect(clock.skew_ms).toBeUndefined();
  });
});
