import { hint, type Role } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { EventParser } from '../../../../libs/client/src/event-parser.ts';
import { ChangeStream } from './change-stream.ts';
import { RecentChanges } from './recent-changes.ts';
import type { Viewer } from './change-visibility.rules.ts';

const CLAZZ = '01900000-0000-7000-8000-000000000001';
const viewer = (role: Role, clazz_ids: string[] = []): Viewer => ({
  user_id: 'me',
  roles: [role],
  children: new Set(),
  clazz_ids: new Set(clazz_ids),
  students: new Set(),
});

/** A feed that only the test writes to, and a stream that reads it. */
const opened = (who: Viewer, requestViewer: () => Promise<Viewer> = async () => who, last_event_id?: string) => {
  let now = 0;
  const listeners = new Set<() => void>();
  const feed = {
    recent: new RecentChanges(),
    ready: Promise.resolve(),
    listen: (more: () => void) => {
      listeners.add(more);
      return () => void listeners.delete(more);
    },
  };
  const stream = new ChangeStream({
    feed,
    viewer: who,
    requestViewer,
    last_event_id,
    silence_ms: 15_000,
    clock: () => now,
  });
  const more = (): void => {
    for (const one of listeners) one();
  };
  return {
    stream,
    listeners,
    tell: (...hints: Parameters<RecentChanges['add']>[0][]) => {
      for (const one of hints) feed.recent.add(one, now);
      more();
    },
    miss: () => {
      feed.recent = new RecentChanges();
      more();
    },
    pass: (ms: number) => {
      now += ms;
      stream.tick();
    },
  };
};

/** The events that a reader receives from now on, in order. */
const reader = ({ out }: ChangeStream) => {
  const parser = new EventParser();
  const events: string[] = [];
  out.on('data', (piece: Buffer) => {
    for (const { event, data } of parser.read(piece.toString()))
      events.push(event === 'reset' ? 'reset' : String(JSON.parse(data).kind));
  });
  return { events, id: () => parser.id };
};

describe('A stream', () => {
  it('sends the changes that the viewer may read, in order', async () => {
    const { stream, tell } = opened(viewer('STUDENT', [CLAZZ]));
    const { events } = reader(stream);
    tell(hint('lesson', { clazz_id: CLAZZ }), hint('marking', {}), hint('leave', { user_ids: ['me'] }));
    await expect.poll(() => events).toEqual(['lesson', 'leave']);
  });

  it('refreshes the access of the viewer before it sends later changes', async () => {
    let who = viewer('STUDENT');
    const { stream, tell } = opened(who, async () => who);
    const { events } = reader(stream);
    who = viewer('STUDENT', [CLAZZ]);
    tell(hint('enrolment', { clazz_id: CLAZZ, user_ids: ['me'] }), hint('lesson', { clazz_id: CLAZZ }));
    await expect.poll(() => events).toEqual(['enrolment', 'lesson']);
    who = viewer('STUDENT');
    tell(hint('enrolment', { clazz_id: CLAZZ, user_ids: ['me'] }), hint('lesson', { clazz_id: CLAZZ }));
    tell(hint('leave', { user_ids: ['me'] }));
    await expect.poll(() => events.slice(2)).toEqual(['enrolment', 'leave']);
  });

  it('ends when the access of the viewer cannot be refreshed', async () => {
    const { stream, tell, listeners } = opened(viewer('STUDENT'), () => Promise.reject(new Error('no answer')));
    const { events } = reader(stream);
    tell(hint('enrolment', { user_ids: ['me'] }), hint('leave', { user_ids: ['me'] }));
    await expect.poll(() => stream.out.readableEnded).toBe(true);
    expect([events, listeners.size]).toEqual([[], 0]);
  });

  it('refreshes the viewer each minute, and uses the old one for a while when that fails', async () => {
    let asked = 0;
    const { stream, pass } = opened(viewer('STUDENT'), () => {
      asked += 1;
      return Promise.reject(new Error('no answer'));
    });
    stream.out.resume();
    for (const [ms, times] of [
      [59_000, 0],
      [2_000, 1],
      [60_000, 2],
    ] as const) {
      pass(ms);
      await expect.poll(() => asked).toBe(times);
    }
    expect(stream.out.readableEnded).toBe(false);
    pass(60_000);
    await expect.poll(() => stream.out.readableEnded).toBe(true);
  });

  it('sends `alive` with the position of its reader when it was silent', async () => {
    const { stream, tell, pass } = opened(viewer('STUDENT'));
    const { id } = reader(stream);
    await expect.poll(id).toMatch(/-0$/);
    tell(hint('marking', {}));
    pass(14_000);
    pass(1_000);
    await expect.poll(id).toMatch(/-1$/);
  });

  it('sends `reset` where changes may be missing, and continues', async () => {
    const { stream, tell, miss } = opened(viewer('SUPERVISOR'), undefined, 'unknown-1');
    const { events } = reader(stream);
    await expect.poll(() => events).toEqual(['reset']);
    tell(hint('room', {}));
    await expect.poll(() => events).toEqual(['reset', 'room']);
    miss();
    await expect.poll(() => events).toEqual(['reset', 'room', 'reset']);
    tell(hint('lesson', {}));
    await expect.poll(() => events).toEqual(['reset', 'room', 'reset', 'lesson']);
  });

  it('closes when its reader does not read', async () => {
    const { stream, tell, listeners } = opened(viewer('SUPERVISOR'));
    const long = hint('member', { user_ids: Array.from({ length: 500 }, (_, n) => `somebody-with-a-name-${n}`) });
    for (let n = 0; n < 10; n += 1) tell(long);
    await expect.poll(() => stream.out.destroyed).toBe(true);
    expect(listeners.size).toBe(0);
  });
});
