import { hint, type Role } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { EventParser } from '../../../../libs/client/src/event-parser.ts';
import type { FeedListener } from './change-feeds.ts';
import { ChangeStream, type PageConnection } from './change-stream.ts';
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

/** The connection of a page whose client reads, or does not. */
const connectionOf = (reads: boolean) => {
  const parser = new EventParser();
  const events: string[] = [];
  let writableLength = 0;
  let state = 'open';
  return {
    events,
    id: () => parser.id,
    state: () => state,
    get writableLength() {
      return writableLength;
    },
    write: (piece: string | Buffer) => {
      if (!reads) writableLength += piece.length;
      for (const { event, data } of parser.read(piece.toString()))
        if (event !== 'alive') events.push(event === 'reset' ? 'reset' : String(JSON.parse(data).kind));
      return true;
    },
    destroySoon: () => void (state = 'ended'),
    destroy: () => void (state = 'destroyed'),
  };
};

interface Given {
  requestViewer?: () => Promise<Viewer>;
  last_event_id?: string;
  reads?: boolean;
}

/** A feed that only the test writes to, and a stream that reads it. */
const opened = (who: Viewer, { requestViewer = async () => who, last_event_id, reads = true }: Given = {}) => {
  let now = 0;
  const listeners = new Set<FeedListener>();
  const feed = {
    recent: new RecentChanges(),
    ready: Promise.resolve(),
    refresh_offset_ms: 0,
    addListener: (one: FeedListener) => void listeners.add(one),
    removeListener: (one: FeedListener) => void listeners.delete(one),
  };
  const connection = connectionOf(reads);
  const identity = { user_id: who.user_id, org_id: 'o', roles: [...who.roles], account: 'o me', signedCaller: '' };
  const stream = new ChangeStream(
    // Only the used part of a socket.
    connection as unknown as PageConnection,
    { requestViewer, silence_ms: 15_000, clock: () => now },
    { feed, caller: { ...identity, issued_ms: 0, isCurrent: () => true }, viewer: who, last_event_id },
  );
  const more = (): void => {
    for (const one of listeners) one.readChanges();
  };
  return {
    connection,
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
      stream.refreshWhenDue();
      stream.sendAlive();
    },
  };
};

describe('A stream', () => {
  it('sends the changes that the viewer may read, in order', async () => {
    const { connection, tell } = opened(viewer('STUDENT', [CLAZZ]));
    const { events } = connection;
    tell(hint('lesson', { clazz_id: CLAZZ }), hint('marking', {}), hint('leave', { user_ids: ['me'] }));
    await expect.poll(() => events).toEqual(['lesson', 'leave']);
  });

  it('refreshes the access of the viewer before it sends later changes', async () => {
    let who = viewer('STUDENT');
    const { connection, tell } = opened(who, { requestViewer: async () => who });
    const { events } = connection;
    who = viewer('STUDENT', [CLAZZ]);
    tell(hint('enrolment', { clazz_id: CLAZZ, user_ids: ['me'] }), hint('lesson', { clazz_id: CLAZZ }));
    await expect.poll(() => events).toEqual(['enrolment', 'lesson']);
    who = viewer('STUDENT');
    tell(hint('enrolment', { clazz_id: CLAZZ, user_ids: ['me'] }), hint('lesson', { clazz_id: CLAZZ }));
    tell(hint('leave', { user_ids: ['me'] }));
    await expect.poll(() => events.slice(2)).toEqual(['enrolment', 'leave']);
  });

  it('ends when the access of the viewer cannot be refreshed', async () => {
    const requestViewer = () => Promise.reject(new Error('no answer'));
    const { connection, tell, listeners } = opened(viewer('STUDENT'), { requestViewer });
    tell(hint('enrolment', { user_ids: ['me'] }), hint('leave', { user_ids: ['me'] }));
    await expect.poll(connection.state).toBe('ended');
    expect([connection.events, listeners.size]).toEqual([[], 0]);
  });

  it('refreshes the viewer each minute, and uses the old one for a while when that fails', async () => {
    let asked = 0;
    const requestViewer = () => {
      asked += 1;
      return Promise.reject(new Error('no answer'));
    };
    const { connection, pass } = opened(viewer('STUDENT'), { requestViewer });
    for (const [ms, times] of [
      [59_000, 0],
      [2_000, 1],
      [60_000, 2],
    ] as const) {
      pass(ms);
      await expect.poll(() => asked).toBe(times);
    }
    expect(connection.state()).toBe('open');
    pass(60_000);
    await expect.poll(connection.state).toBe('ended');
  });

  it('sends `alive` with the position of its reader when it was silent', async () => {
    const { connection, tell, pass } = opened(viewer('STUDENT'));
    expect(connection.id()).toMatch(/-0$/);
    tell(hint('marking', {}));
    pass(14_000);
    pass(1_000);
    expect(connection.id()).toMatch(/-1$/);
  });

  it('sends `reset` where changes may be missing, and continues', async () => {
    const { connection, tell, miss } = opened(viewer('SUPERVISOR'), { last_event_id: 'unknown-1' });
    const { events } = connection;
    await expect.poll(() => events).toEqual(['reset']);
    tell(hint('room', {}));
    await expect.poll(() => events).toEqual(['reset', 'room']);
    miss();
    await expect.poll(() => events).toEqual(['reset', 'room', 'reset']);
    tell(hint('lesson', {}));
    await expect.poll(() => events).toEqual(['reset', 'room', 'reset', 'lesson']);
  });

  it('closes when its reader does not read', async () => {
    const { connection, tell, listeners } = opened(viewer('SUPERVISOR'), { reads: false });
    const long = hint('member', { user_ids: Array.from({ length: 500 }, (_, n) => `somebody-with-a-name-${n}`) });
    for (let n = 0; n < 10; n += 1) tell(long);
    expect(connection.state()).toBe('destroyed');
    expect(listeners.size).toBe(0);
  });
});
