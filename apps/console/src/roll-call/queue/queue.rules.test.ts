import { ApiError, NoAnswerError } from '@teaching/client/browser';
import { describe, expect, it } from 'vitest';
import {
  countsOf,
  EMPTY_QUEUE,
  overrideRefusal,
  isEmpty,
  type Queue,
  type QueuedMark,
  queueMarks,
  markStates,
  mergedQueue,
  nextToSend,
  unqueueMarks,
  acknowledgeRefused,
  acknowledgeSaved,
} from './queue.rules.ts';
import { type FailureKind, failureKindOf, pauseAfter } from './failure-kind.rules.ts';

const markFor = (
  student_id: string,
  mark: QueuedMark['mark'] = 'present',
  more: Partial<QueuedMark> = {},
): QueuedMark => ({
  student_id,
  mark,
  note: null,
  late_minutes: null,
  revision: 0,
  reason: null,
  ...more,
});
const marks = (list: readonly QueuedMark[]) => list.map(({ student_id, mark }) => `${student_id} ${mark}`);
const queueOf = (...all: QueuedMark[]): Queue => queueMarks(EMPTY_QUEUE, all);
const afterSending = (queue: Queue, key = 'key'): Queue => nextToSend(queue, () => key);

describe('A new mark', () => {
  it('replaces a waiting mark of the same student', () => {
    expect(marks(queueMarks(queueOf(markFor('ann'), markFor('bob')), [markFor('ann', 'late')]).waiting)).toEqual([
      'bob present',
      'ann late',
    ]);
  });
  it('does not change a sent mark, and is sent after it', () => {
    const queue = queueMarks(afterSending(queueOf(markFor('ann'))), [markFor('ann', 'late')]);
    expect(marks(queue.sent?.marks ?? [])).toEqual(['ann present']);
    expect(marks(queue.waiting)).toEqual(['ann late']);
    expect(nextToSend(queue, () => 'other')).toBe(queue);
    expect(marks(afterSending(acknowledgeSaved(queue, 'key', []), 'next').sent?.marks ?? [])).toEqual(['ann late']);
  });
  it('can be removed while it waits, and not after it was sent', () => {
    expect(isEmpty(unqueueMarks(queueOf(markFor('ann')), ['ann']))).toBe(true);
    expect(unqueueMarks(afterSending(queueOf(markFor('ann'))), ['ann']).sent).not.toBeNull();
  });
  it('is sent together with marks of the same reason', () => {
    const queue = afterSending(queueOf(markFor('ann'), markFor('bob', 'late', { reason: 'mistaken' }), markFor('cid')));
    expect(marks(queue.sent?.marks ?? [])).toEqual(['ann present', 'cid present']);
    expect(marks(queue.waiting)).toEqual(['bob late']);
  });
  it('is never sent together with a withdrawal, whose refusal would refuse it', () => {
    const queue = afterSending(queueOf(markFor('ann', null), markFor('bob'), markFor('cid', null)));
    expect(marks(queue.sent?.marks ?? [])).toEqual(['ann null', 'cid null']);
    expect(marks(queue.waiting)).toEqual(['bob present']);
  });
  it('keeps its idempotency key until it is answered', () => {
    const queue = afterSending(queueOf(markFor('ann')), 'first');
    expect(afterSending(queue, 'second').sent?.key).toBe('first');
  });
});

describe('An answer', () => {
  it('updates the revision of waiting marks of the same students', () => {
    const queue = queueMarks(afterSending(queueOf(markFor('ann'), markFor('bob'))), [
      markFor('ann', 'late'),
      markFor('cid'),
    ]);
    const after = acknowledgeSaved(queue, 'key', [
      { student_id: 'ann', revision: 4 },
      { student_id: 'cid', revision: 9 },
    ]);
    expect(after.waiting.map(({ student_id, revision }) => [student_id, revision])).toEqual([
      ['ann', 4],
      ['cid', 0],
    ]);
  });
  it('applies only to the marks that were sent with its key', () => {
    const queue = afterSending(queueOf(markFor('ann')));
    expect(acknowledgeSaved(queue, 'other', [])).toBe(queue);
    expect(acknowledgeRefused(queue, 'other', 'forbidden', null)).toBe(queue);
  });
  it('moves all sent marks to the refused ones after a refusal without students', () => {
    const queue = acknowledgeRefused(
      afterSending(queueOf(markFor('ann'), markFor('bob'))),
      'key',
      'edit_window_over',
      null,
    );
    expect(queue.sent).toBeNull();
    expect(queue.refused.map(({ said, code }) => [said.student_id, code])).toEqual([
      ['ann', 'edit_window_over'],
      ['bob', 'edit_window_over'],
    ]);
  });
  it('moves the named students to the refused ones, and lets the others wait again', () => {
    const queue = acknowledgeRefused(
      afterSending(queueOf(markFor('ann'), markFor('bob'))),
      'key',
      'mark_changed',
      new Set(['ann']),
    );
    expect(marks(queue.waiting)).toEqual(['bob present']);
    expect(countsOf(queue)).toEqual({ waiting: 1, refused: 1 });
  });
  it('keeps a newer mark of a refused student waiting', () => {
    const queue = acknowledgeRefused(
      queueMarks(afterSending(queueOf(markFor('ann'))), [markFor('ann', 'late')]),
      'key',
      'forbidden',
      null,
    );
    expect(queue.refused).toEqual([]);
    expect(marks(queue.waiting)).toEqual(['ann late']);
  });
  it('allows a refused mark to be sent again with the revision that was read', () => {
    const refused = acknowledgeRefused(afterSending(queueOf(markFor('ann'))), 'key', 'mark_changed', new Set(['ann']));
    expect(overrideRefusal(refused, 'ann', { revision: 3, reason: 'mistaken' })).toMatchObject({
      waiting: [{ student_id: 'ann', revision: 3, reason: 'mistaken' }],
      refused: [],
    });
    expect(isEmpty(unqueueMarks(refused, ['ann']))).toBe(true);
    expect(overrideRefusal(refused, 'bob', { revision: 3, reason: null })).toBe(refused);
  });
  it('shows the state of each student', () => {
    const queue = queueMarks(
      acknowledgeRefused(afterSending(queueOf(markFor('ann'), markFor('bob'))), 'key', 'forbidden', null),
      [markFor('bob', 'late')],
    );
    const of = markStates(queue);
    expect([of('ann').progress, of('bob').queuedMark?.mark, of('cid').progress]).toEqual(['refused', 'late', 'saved']);
  });
});

describe('A failed request', () => {
  const sent = { key: 'key', marks: [markFor('ann'), markFor('bob')] };
  const refusal = (status: number, body: object, headers = {}) =>
    failureKindOf(new ApiError(new Response(null, { status, headers }), JSON.stringify(body)), sent);

  it.each([401, 429, 500, 503, 504])('is retried after status %i', (status) => {
    expect(refusal(status, { code: 'x' })).toMatchObject({ again: true });
  });
  it('is retried after a network failure', () =>
    expect(failureKindOf(new NoAnswerError('x'), sent)).toMatchObject({ again: true }));
  it('is retried after the time in Retry-After', () =>
    expect(refusal(503, {}, { 'retry-after': '7' })).toEqual({ again: true, after_ms: 7_000 }));
  it('names students by their position in the request', () =>
    expect(
      refusal(409, { code: 'mark_changed', errors: [{ path: '/body/marks/1/revision', message: 'x' }] }),
    ).toEqual<FailureKind>({
      again: false,
      code: 'mark_changed',
      students: new Set(['bob']),
    }));
  it('names students without enough hours', () =>
    expect(refusal(409, { code: 'insufficient_hours', students: [{ student_id: 'ann' }] })).toMatchObject<
      Partial<FailureKind>
    >({
      students: new Set(['ann']),
    }));
  it('may concern the whole request', () =>
    expect(refusal(409, { code: 'edit_window_over' })).toEqual<FailureKind>({
      again: false,
      code: 'edit_window_over',
      students: null,
    }));
});

it('pauses for at most 4 seconds after temporary failures, and as long as the API requires', () => {
  expect([1, 2, 3, 4, 20].map((tries) => pauseAfter(tries, 0))).toEqual([1_000, 2_000, 4_000, 4_000, 4_000]);
  expect(pauseAfter(1, 60_000)).toBe(60_000);
});

describe('Merging the stored queue with the one in memory', () => {
  const of = (queue: Queue) => ({
    waiting: marks(queue.waiting),
    sent: queue.sent?.key,
    refused: marks(queue.refused.map(({ said }) => said)),
  });

  it('keeps all marks, and only the newest mark of each student', () => {
    const older = queueMarks(queueOf(markFor('ann', 'absent'), markFor('bob')), []);
    const newer = queueOf(markFor('ann'), markFor('cid'));
    expect(of(mergedQueue(older, newer))).toEqual({
      waiting: ['bob present', 'ann present', 'cid present'],
      sent: undefined,
      refused: [],
    });
    expect(mergedQueue(older, EMPTY_QUEUE)).toEqual(older);
    expect(mergedQueue(EMPTY_QUEUE, newer)).toEqual(newer);
  });

  it('sends a request once that is in both, and two different requests one after another', () => {
    const sent = afterSending(queueOf(markFor('ann')));
    expect(of(mergedQueue(sent, sent))).toEqual({ waiting: [], sent: 'key', refused: [] });
    const other = queueMarks(afterSending(queueOf(markFor('ann', 'late'), markFor('bob')), 'other'), [
      markFor('bob', 'absent'),
    ]);
    expect(of(mergedQueue(sent, other))).toEqual({ waiting: ['ann late', 'bob absent'], sent: 'key', refused: [] });
  });

  it('keeps the refusal of the newer queue', () => {
    const newer = acknowledgeRefused(afterSending(queueOf(markFor('ann'))), 'key', 'mark_changed', null);
    expect(of(mergedQueue(queueOf(markFor('ann', 'absent'), markFor('bob')), newer))).toEqual({
      waiting: ['bob present'],
      sent: undefined,
      refused: ['ann present'],
    });
  });
});
