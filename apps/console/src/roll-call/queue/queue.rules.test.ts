import { ApiError, NoAnswerError } from '@teaching/client/browser';
import { describe, expect, it } from 'vitest';
import {
  countsOf,
  EMPTY,
  insist,
  isEmpty,
  type Queue,
  type Said,
  say,
  standings,
  together,
  toSend,
  unsay,
  wasRefused,
  wasSaved,
} from './queue.rules.ts';
import { verdictOf } from './verdict.rules.ts';

const said = (student_id: string, mark: Said['mark'] = 'present', more: Partial<Said> = {}): Said => ({
  student_id,
  mark,
  note: null,
  late_minutes: null,
  revision: 0,
  reason: null,
  ...more,
});
const marks = (list: readonly Said[]) => list.map(({ student_id, mark }) => `${student_id} ${mark}`);
const queueOf = (...all: Said[]): Queue => say(EMPTY, all);
const sending = (queue: Queue, key = 'key'): Queue => toSend(queue, () => key);

describe('what is said', () => {
  it('replaces what still waits about the same student', () => {
    expect(marks(say(queueOf(said('ann'), said('bob')), [said('ann', 'late')]).waiting)).toEqual([
      'bob present',
      'ann late',
    ]);
  });
  it('does not change what was sent, and goes after it', () => {
    const queue = say(sending(queueOf(said('ann'))), [said('ann', 'late')]);
    expect(marks(queue.sent?.marks ?? [])).toEqual(['ann present']);
    expect(marks(queue.waiting)).toEqual(['ann late']);
    expect(toSend(queue, () => 'other')).toBe(queue);
    expect(marks(sending(wasSaved(queue, 'key', []), 'next').sent?.marks ?? [])).toEqual(['ann late']);
  });
  it('is taken back while it waits, and not once it was sent', () => {
    expect(isEmpty(unsay(queueOf(said('ann')), 'ann'))).toBe(true);
    expect(unsay(sending(queueOf(said('ann'))), 'ann').sent).not.toBeNull();
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
    const queue = say(sending(queueOf(said('ann'), said('bob'))), [said('ann', 'late'), said('cid')]);
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
    const queue = wasRefused(say(sending(queueOf(said('ann'))), [said('ann', 'late')]), 'key', 'forbidden', null);
    expect(queue.refused).toEqual([]);
    expect(marks(queue.waiting)).toEqual(['ann late']);
  });
  it('may be insisted on, by who has read what stands', () => {
    const refused = wasRefused(sending(queueOf(said('ann'))), 'key', 'mark_changed', new Set(['ann']));
    expect(insist(refused, 'ann', 3)).toMatchObject({ waiting: [{ student_id: 'ann', revision: 3 }], refused: [] });
    expect(isEmpty(unsay(refused, 'ann'))).toBe(true);
    expect(insist(refused, 'bob', 3)).toBe(refused);
  });
  it('says how it stands about each', () => {
    const queue = say(wasRefused(sending(queueOf(said('ann'), said('bob'))), 'key', 'forbidden', null), [
      said('bob', 'late'),
    ]);
    const of = standings(queue);
    expect([of('ann').progress, of('bob').said?.mark, of('cid').progress]).toEqual(['refused', 'late', 'saved']);
  });
});

describe('a failure', () => {
  const sent = { key: 'key', marks: [said('ann'), said('bob')] };
  const refusal = (status: number, body: object, headers = {}) =>
    verdictOf(new ApiError(new Response(null, { status, headers }), JSON.stringify(body)), sent);

  it.each([401, 429, 500, 503, 504])('%i: again', (status) => {
    expect(refusal(status, { code: 'x' })).toMatchObject({ again: true });
  });
  it('of the network: again', () => expect(verdictOf(new NoAnswerError('x'), sent)).toMatchObject({ again: true }));
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
    const older = say(queueOf(said('ann', 'absent'), said('bob')), []);
    const newer = queueOf(said('ann'), said('cid'));
    expect(of(together(older, newer))).toEqual({
      waiting: ['bob present', 'ann present', 'cid present'],
      sent: undefined,
      refused: [],
    });
    expect(together(older, EMPTY)).toEqual(older);
    expect(together(EMPTY, newer)).toEqual(newer);
  });

  it('is sent once where both know of it, and one after the other where both sent something', () => {
    const sent = sending(queueOf(said('ann')));
    expect(of(together(sent, sent))).toEqual({ waiting: [], sent: 'key', refused: [] });
    const other = say(sending(queueOf(said('ann', 'late'), said('bob')), 'other'), [said('bob', 'absent')]);
    expect(of(together(sent, other))).toEqual({ waiting: ['ann late', 'bob absent'], sent: 'key', refused: [] });
  });

  it('is refused where the newer one was', () => {
    const newer = wasRefused(sending(queueOf(said('ann'))), 'key', 'mark_changed', null);
    expect(of(together(queueOf(said('ann', 'absent'), said('bob')), newer))).toEqual({
      waiting: ['bob present'],
      sent: undefined,
      refused: ['ann present'],
    });
  });
});
