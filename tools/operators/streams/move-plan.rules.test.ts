import { describe, expect, it } from 'vitest';
import { moveStepOf, shortfallsOf, sizeWithin } from './move-plan.rules.ts';
import type { SavedStream } from './saved-stream.ts';

const warehouse = { name: 'reader_warehouse', delivered: 20, ack_floor: 10, num_ack_pending: 10 };
const saved: SavedStream = {
  name: 'EVENTS_CLAZZ',
  service: 'clazz',
  config: { max_bytes: 1_000 },
  state: { messages: 90, bytes: 900, first_seq: 11, last_seq: 100 },
  last: { seq: 100, time: '2026-11-28T20:00:00.000000001Z' },
  positions: [warehouse],
  moved: false,
};
const empty: SavedStream = {
  ...saved,
  state: { messages: 0, bytes: 0, first_seq: 0, last_seq: 0 },
  last: undefined,
};
const other = { seq: 100, time: '2026-11-28T21:00:00.000000001Z' };

describe('A saved stream', () => {
  it.each([
    ['restore', 'is missing', saved, undefined],
    ['is moved', 'has the last saved message', saved, { last_seq: 101, same_seq: saved.last, positions: [] }],
    ['replace', 'has another message there and no consumers', saved, { last_seq: 120, same_seq: other, positions: [] }],
    ['replace', 'ends before it', saved, { last_seq: 3, same_seq: undefined, positions: [] }],
    ['is in use', 'has other content and consumers', saved, { last_seq: 120, same_seq: other, positions: [warehouse] }],
    [
      'is moved',
      'lost the message after the move was completed',
      { ...saved, moved: true },
      { last_seq: 900, same_seq: undefined, positions: [warehouse] },
    ],
    ['replace', 'is empty like it, but lacks its consumer', empty, { last_seq: 0, same_seq: undefined, positions: [] }],
    ['is moved', 'is empty with its consumer', empty, { last_seq: 0, same_seq: undefined, positions: [warehouse] }],
  ] as const)('has the step “%s” if the stream of the account %s', (step, _state, from, found) => {
    expect(moveStepOf(from, found)).toBe(step);
  });

  it.each([
    ['nothing is missing', saved.state, [warehouse], []],
    ['old messages expired', { messages: 80, first_seq: 21, last_seq: 100 }, [warehouse], []],
    ['a reader went on', saved.state, [{ ...warehouse, delivered: 60, ack_floor: 60, num_ack_pending: 0 }], []],
    ['its end is missing', { ...saved.state, last_seq: 99 }, [warehouse], ['it ends at 99, not 100']],
    ['messages are missing', { ...saved.state, messages: 89 }, [warehouse], ['it has 89 messages, not 90']],
    ['a consumer is missing', saved.state, [], ['the consumer reader_warehouse is missing or behind']],
    [
      'a consumer is behind',
      saved.state,
      [{ ...warehouse, ack_floor: 9 }],
      ['the consumer reader_warehouse is missing or behind'],
    ],
  ])('has shortfalls after its restoration if %s', (_what, state, positions, shortfalls) => {
    expect(shortfallsOf(saved, state, positions)).toEqual(shortfalls);
  });

  it.each([
    [1_000, 2_000, 1_000],
    [3_000, 2_000, 2_000],
    [-1, 2_000, 2_000],
    [3_000, -1, 3_000],
  ])('with %i bytes gets a size that an account with %i bytes allows', (size, most, allowed) => {
    expect(sizeWithin(size, most)).toBe(allowed);
  });
});
