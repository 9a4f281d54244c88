import type { Msg } from '@nats-io/transport-node';
import { clazzEvents } from '@teaching/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WATCH_EXPIRY_MS } from '../rpc/receive-hints.ts';
import { createLogger } from '../telemetry/log.ts';
import type { Bus } from '../rpc/message-bus.ts';
import type { EntryRow } from './log-entry.ts';
import { createHintPublisher } from './hint-publisher.ts';

const ORG = '01900000-0000-7000-8000-000000000001';
const OTHER = '01900000-0000-7000-8000-000000000002';
const ROOM = '01900000-0000-7000-8000-000000000003';

let sent: [subject: string, text: string][];
let receiveWatched: (org_ids: string[]) => void;
let reconnect: () => void;
/** The part of a bus that hints need. */
const bus = (): Bus => {
  const part: Pick<Bus, 'listen' | 'onUp' | 'publishSoon'> = {
    listen: (_subject, { callback }) => {
      const message = (org_ids: string[]): Pick<Msg, 'data'> => ({ data: Buffer.from(JSON.stringify({ org_ids })) });
      receiveWatched = (org_ids) => void callback?.(null, message(org_ids) as Msg);
      return { unsubscribe: () => {}, drain: async () => {} };
    },
    onUp: (listener) => {
      reconnect = listener;
      return () => {};
    },
    publishSoon: (subject, data) => void sent.push([subject, Buffer.from(data).toString()]),
  };
  return part as Bus;
};

const row = (org_id: string, data: string | null = JSON.stringify({ room: { id: ROOM } })): EntryRow => ({
  epoch: 0,
  no: 1,
  previous_id: null,
  log: 'domain',
  id: ROOM,
  org_id,
  tx_id: ROOM,
  type: clazzEvents.roomChanged.type,
  aggregate_id: org_id,
  actor: 'ada',
  request_id: ROOM,
  trace: null,
  happened_at: '2030-01-01T00:00:00.000Z',
  data,
});
const HINT = { kind: 'room', ids: [ROOM], clazz_id: null, user_ids: [] };

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
});
afterEach(() => vi.useRealTimers());

/** A publisher that has run long enough to know the watched organizations of every gateway. */
const createSettledPublisher = () => {
  const hints = createHintPublisher({ service: 'clazz', bus: bus(), log: createLogger('clazz', 'silent') });
  vi.advanceTimersByTime(WATCH_EXPIRY_MS + 1);
  return hints;
};

it('publishes no hints for organizations without an open page', () => {
  const hints = createSettledPublisher();
  hints.publish([row(ORG)]);
  receiveWatched([OTHER]);
  hints.publish([row(ORG)]);
  expect(sent).toEqual([]);
});

it('publishes the hints of one batch together, once for each organization with an open page', () => {
  const hints = createSettledPublisher();
  receiveWatched([ORG, OTHER]);
  hints.publish([row(ORG), row(OTHER), row(ORG)]);
  expect(sent).toEqual([
    [`hint.clazz.${ORG}`, JSON.stringify([HINT, HINT])],
    [`hint.clazz.${OTHER}`, JSON.stringify([HINT])],
  ]);
});

it('stops publishing for an organization that no gateway names again', () => {
  const hints = createSettledPublisher();
  receiveWatched([ORG]);
  vi.advanceTimersByTime(WATCH_EXPIRY_MS - 1);
  hints.publish([row(ORG)]);
  vi.advanceTimersByTime(2);
  hints.publish([row(ORG)]);
  expect(sent).toHaveLength(1);
});

it('publishes for all organizations until it can know the pages of every gateway', () => {
  const hints = createHintPublisher({ service: 'clazz', bus: bus(), log: createLogger('clazz', 'silent') });
  hints.publish([row(ORG)]);
  vi.advanceTimersByTime(WATCH_EXPIRY_MS + 1);
  hints.publish([row(ORG)]);
  expect(sent).toHaveLength(1);
  reconnect();
  hints.publish([row(ORG)]);
  expect(sent).toHaveLength(2);
});

it('ignores events that cannot be read or were erased', () => {
  const hints = createSettledPublisher();
  receiveWatched([ORG]);
  hints.publish([row(ORG, '{}'), row(ORG, null), row(ORG)]);
  expect(sent).toEqual([[`hint.clazz.${ORG}`, JSON.stringify([HINT])]]);
});
