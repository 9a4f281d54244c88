import type pg from 'pg';
import { afterEach, expect, it, vi } from 'vitest';
import { createLogger } from '../telemetry/log.ts';
import type { Bus } from '../rpc/message-bus.ts';
import { Mailbox } from './mailbox.ts';
import type { EntryReader } from './entry-reader.ts';
import { ApplyPipeline } from './apply-pipeline.ts';
import { type PublishedLogs, startStreamPublishing } from './publish-stream.ts';
import { type LogReaderParts, readLog } from './log-reader.ts';

const nothing = (): void => {};
const end = () => nothing;
/** A bus without any messages. */
const bus = {
  inboxPrefix: '_INBOX',
  listen: () => ({ unsubscribe: nothing }),
  onUp: end,
  onDown: end,
} as unknown as Bus;
const START = { epoch: 0, no: 0, id: null };
afterEach(() => vi.useRealTimers());

it('stops a follower without waiting for a source that does not answer', async () => {
  const stopping = new AbortController();
  const asked = Promise.withResolvers<void>();
  const reader: EntryReader = {
    queryPage: () => {
      asked.resolve();
      return new Promise<never>(nothing);
    },
    toEntries: () => [],
  };
  const parts: LogReaderParts = {
    mailbox: new Mailbox(bus, { service: 'course', log: 'domain' }),
    reader,
    pipeline: new ApplyPipeline(async () => {}, nothing),
    prepare: () => undefined,
    setPosition: async () => {},
    onEnd: async () => {},
    onGap: nothing,
  };
  const reading = readLog(parts, START, stopping.signal);
  await asked.promise;
  stopping.abort();
  await expect(reading).rejects.toThrow('aborted');
});

it('stops a source during its start without waiting for its streams', async () => {
  vi.useFakeTimers();
  const deps = {
    service: 'course',
    bus,
    pool: {} as unknown as pg.Pool,
    log: createLogger('test', 'silent'),
    limits: { replicas: 1, max_bytes: 1 },
  };
  const logs: PublishedLogs = {
    head: () => ({ ...START, log: 'domain' as const, base: 0 }),
    openEpochAfterRestore: async () => {},
  };
  const publishing = startStreamPublishing(deps, logs, 'domain', AbortSignal.abort());
  await Promise.all([publishing.compared, publishing.ended]);
});
