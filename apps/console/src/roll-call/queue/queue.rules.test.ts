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
  unqueueMark,
  wasRefused,
  wasSaved,
} from './queue.rules.ts';
import { failureKindOf } from './failure-kind.rules.ts';

const said = (
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
const sending = (queue: Queue, key = 'key'): Queue => nextToSend(queue, () => key);

describe('what is said', () => {
  it('replaces what still waits about the same student', () => {
    expect(marks(queueMarks(queueOf(said('ann'), said('bob')), [said('ann', 'late')]).waiting)).toEqual([
      'bob present',
      'ann late',
    ]);
  });
  it('does not change what was sent, and goes after it', () => {
    const queue = queueMarks(sending(queueOf(said('ann'))), [said('ann', 'late')]);
    expect(marks(queue.sent?.marks ?? [])).toEqual(['ann present']);
    expect(marks(queue.waiting)).toEqual(['ann late']);
    expect(nextToSend(queue, () => 'other')).toBe(queue);
    expect(marks(sending(wasSaved(queue, 'key', []), 'next').sent?.marks ?? [])).toEqual(['ann late']);
  });
  it('is taken back while it waits, and not once it was sent', () => {
    expect(isEmpty(unqueueMark(queueOf(said('ann')), 'ann'))).toBe(true);
    expect(unqueueMark(sending(queueOf(said('ann'))), 'ann').sent).not.toBeNull();
  });
  it('goes together as far as it has one reason', () => {
    const queue = sending(queueOf(said('ann'), said('bob', 'late', { reason: 'mistaken' }), said('cid')));
    expect(marks(queue.sent?.marks ?? [])).toEqual(['ann present', 'cid present']);
    expect(marks(queue.waiting)).toEqual(['bob late']);
  });
  it('keeps its key until it is answered', () => {
    const queue = sending(queueOf(said('ann')), 'first');
    expect(sending(queue, 'second').sent?.key).toBe('first');
  });
});

describe('what is answered', () => {
  it('lets the next word about a student know of what was saved', () => {
    const queue = queueMarks(sending(queueOf(said('ann'), said('bob'))), [said('ann', 'late'), said('cid')]);
    const after = wasSaved(queue, 'key', [
      { student_id: 'ann', revision: 4 },
      { student_id: 'cid', revision: 9 },
    ]);
    expect(after.waiting.map(({ student_id, revision }) => [student_id, revision])).toEqual([
      ['ann', 4],
      ['cid', 0],
    ]);
  });
  it('counts only for what was sent under its key', () => {
    const queue = sending(queueOf(said('ann')));
    expect(wasSaved(queue, 'other', [])).toBe(queue);
    expect(wasRefused(queue, 'other', 'forbidden', null)).toBe(queue);
  });
  it('refuses as a whole, and nothing is lost', () => {
    const queue = wasRefused(sending(queueOf(said('ann'), said('bob'))), 'key', 'edit_window_over', null);
    expect(queue.sent).toBeNull();
    expect(queue.refused.map(({ said: one, code }) => [one.student_id, code])).toEqual([
      ['ann', 'edit_window_over'],
      ['bob', 'edit_window_over'],
    ]);
  });
  it('refuses some, and the others wait again', () => {
    const queue = wasRefused(sending(queueOf(said('ann'), said('bob'))), 'key', 'mark_changed', new Set(['ann']));
    expect(marks(queue.waiting)).toEqual(['bob present']);
    expect(countsOf(queue)).toEqual({ waiting: 1, refused: 1 });
  });
  it('leaves a newer word about a refused student waiting', () => {
    const queue = wasRefused(
      queueMarks(sending(queueOf(said('ann'))), [said('ann', 'late')]),
      'key',
      'forbidden',
      null,
    );
    expect(queue.refused).toEqual([]);
    expect(marks(queue.waiting)).toEqual(['ann late']);
  });
  it('may be insisted on, by who has read what stands', () => {
    const refused = wasRefused(sending(queueOf(said('ann'))), 'key', 'mark_changed', new Set(['ann']));
    expect(overrideRefusal(refused, 'ann', 3)).toMatchObject({
      waiting: [{ student_id: 'ann', revision: 3 }],
      refused: [],
    });
    expect(isEmpty(unqueueMark(refused, 'ann'))).toBe(true);
    expect(overrideRefusal(refused, 'bob', 3)).toBe(refused);
  });
  it('says how it stands about each', () => {
    const queue = queueMarks(wasRefused(sending(queueOf(said('ann'), said('bob'))), 'key', 'forbidden', null), [
      said('bob', 'late'),
    ]);
    const of = markStates(queue);
    expect([of('ann').progress, of('bob').said?.mark, of('cid').progress]).toEqual(['refused', 'late', 'saved']);
  });
});

describe('a failure', () => {
  const sent = { key: 'key', marks: [said('ann'), said('bob')] };
  const refusal = (status: number, body: object, headers = {}) =>
    failureKindOf(new ApiError(new Response(null, { status, headers }), JSON.stringify(body)), sent);

  it.each([401, 429, 500, 503, 504])('%i: again', (status) => {
    expect(refusal(status, { code: 'x' })).toMatchObject({ again: true });
  });
  it('of the network: again', () => expect(failureKindOf(new NoAnswerError('x'), sent)).toMatchObject({ again: true }));
  it('waits as long as the answer asks', () =>
    expect(refusal(503, {}, { 'retry-after': '7' })).toEqual({ again: true, after_ms: 7_000 }));
  it('names students by their place', () =>
    expect(refusal(409, { code: 'mark_changed', errors: [{ path: '/body/marks/1/revision', message: 'x' }] })).toEqual({
      again: false,
      code: 'mark_changed',
      because: new Set(['bob']),
    }));
  it('names students who are short of hours', () =>
    expect(refusal(409, { code: 'insufficient_hours', students: [{ student_id: 'ann' }] })).toMatchObject({
      because: new Set(['ann']),
    }));
  it('may be about all of it', () =>
    expect(refusal(409, { code: 'edit_window_over' })).toEqual({
      again: false,
      code: 'edit_window_over',
      because: null,
    }));
});

describe('what is kept in two places', () => {
  const of = (queue: Queue) => ({
    waiting: marks(queue.waiting),
    sent: queue.sent?.key,
    refused: marks(queue.refused.map((one) => one.said)),
  });

  it('is all there, the newest word about a student only', () => {
    const older = queueMarks(queueOf(said('ann', 'absent'), said('bob')), []);
    const newer = queueOf(said('ann'), said('cid'));
    expect(of(mergedQueue(older, newer))).toEqual({
      waiting: ['bob present', 'ann present', 'cid present'],
      sent: undefined,
      refused: [],
    });
    expect(mergedQueue(older, EMPTY_QUEUE)).toEqual(older);
    expect(mergedQueue(EMPTY_QUEUE, newer)).toEqual(newer);
  });

  it('is sent once where both know of it, and one after the other where both sent something', () => {
    const sent = sending(queueOf(said('ann')));
    expect(of(mergedQueue(sent, sent))).toEqual({ waiting: [], sent: 'key', refused: [] });
    const other = queueMarks(sending(queueOf(said('ann', 'late'), said('bob')), 'other'), [said('bob', 'absent')]);
    expect(of(mergedQueue(sent, other))).toEqual({ waiting: ['ann late', 'bob absent'], sent: 'key', refused: [] });
  });

  it('is refused where the newer one was', () => {
    const newer = wasRefused(sending(queueOf(said('ann'))), 'key', 'mark_changed', null);
    expect(of(mergedQueue(queueOf(said('ann', 'absent'), said('bob')), newer))).toEqual({
      waiting: ['bob present'],
      sent: undefined,
      refused: ['ann present'],
    });
  });
});
