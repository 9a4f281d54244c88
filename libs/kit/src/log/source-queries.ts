import type { LogKind } from '@teaching/contracts';
import type { Msg } from '@nats-io/transport-node';
import { envelopeText, type EntryRow } from './log-entry.ts';
import { laterEpoch, offsetAt, reachOf, readEntries } from './log-statements.ts';
import { isReplySubject } from '../rpc/subjects.ts';
import { logSubjects, ReachRequest, type ReadAnswer, ReadRequest } from './source-messages.ts';
import type { Offset } from './offset.ts';
import type { SourceTerm } from './source-term.ts';
import type { SourceDeps } from './source-deps.ts';

type Refusal = Exclude<ReadAnswer, { state: 'ok' }>;

/** An entry as JSON text, with its event unparsed. */
const entryText = (service: string, row: EntryRow): string => {
  const head = `{"epoch":${row.epoch},"no":${row.no},"id":"${row.id}"`;
  return row.data === null ? `${head}}` : `${head},"event":${envelopeText(service, row)}}`;
};

/**
 * Answers queries of followers and readers about the logs of a source during its term. Returns the function that stops
 * it.
 */
export const answerSourceQueries = ({ service, bus, pool, log }: SourceDeps, term: SourceTerm): (() => void) => {
  /** The last number that both have, where known: the follower's epoch ended before its offset. */
  const commonWith = async (kind: LogKind, after: Offset): Promise<number | null> => {
    const later = await laterEpoch(pool, kind, after.epoch);
    return later === undefined || after.no < later ? null : later - 1;
  };

  const offsetOfHead = (kind: LogKind): Offset => {
    const { epoch, no, id } = term.head(kind);
    return { epoch, no, id };
  };

  const refuseAsBroken = async (kind: LogKind, after: Offset): Promise<Refusal> => {
    const common = await commonWith(kind, after);
    return { state: 'broken', head: offsetOfHead(kind), common };
  };

  /** The follower's offset as this log has it, or the reason why it does not. */
  const compareOffset = async (kind: LogKind, after: Offset): Promise<Offset | Refusal> => {
    const head = term.head(kind);
    if (after.no === 0 && after.id === null) return offsetAt(pool, kind, head.base);
    if (after.no < head.base) return { state: 'hole', head: offsetOfHead(kind), base: head.base };
    const own = after.no > head.no ? undefined : await offsetAt(pool, kind, after.no);
    const same = after.id === null || own?.id === after.id || (own?.id === null && after.no === head.base);
    if (own !== undefined && same) return { ...own, id: own.id ?? after.id };
    return refuseAsBroken(kind, after);
  };

  /** Checks again with the heads from the database before it answers that the log was restored. */
  const compareWithDatabase = async (kind: LogKind, after: Offset): Promise<Offset | Refusal> => {
    const first = await compareOffset(kind, after);
    if (!('state' in first) || first.state !== 'broken') return first;
    await term.reload();
    const again = await compareOffset(kind, after);
    if (!('state' in again) || again.state !== 'broken') return again;
    await term.openEpochAfterRestore(kind, after, 'a follower');
    return refuseAsBroken(kind, after);
  };

  const read = async ({ log: kind, after: requested, limit }: ReadRequest): Promise<string> => {
    const after = await compareWithDatabase(kind, requested);
    if ('state' in after) return JSON.stringify(after);
    const rows = limit === 0 ? [] : await readEntries(pool, { log: kind, after: after.no, limit });
    const entries = rows.map((row) => entryText(service, row)).join(',');
    const head = JSON.stringify(offsetOfHead(kind));
    return `{"state":"ok","after":${JSON.stringify(after)},"head":${head},"entries":[${entries}]}`;
  };

  const reach = async (tx_ids: readonly string[]): Promise<string> => {
    if (term.recentTransactions.find(tx_ids).missing.length > 0) await term.awaitNumbering();
    const { found, missing } = term.recentTransactions.find(tx_ids);
    const older = missing.length === 0 ? {} : await reachOf(pool, missing);
    return JSON.stringify({ reached: { ...older, ...found } });
  };

  const answer = (parse: (body: unknown) => Promise<string>) => (error: Error | null, message: Msg) => {
    const { reply = '', subject } = message;
    if (error !== null || !isReplySubject(reply, subject.split('.').at(-1) ?? '', service)) return;
    const work = async (): Promise<void> => {
      try {
        bus.publishSoon(reply, Buffer.from(await parse(message.json())));
      } catch (fault) {
        // The requester gets no answer and asks again.
        log.warn({ err: fault, subject }, 'a query about the log failed');
      }
    };
    void work();
  };
  const subjects = logSubjects(service);
  const subscriptions = [
    bus.listen(subjects.read, { callback: answer(async (body) => read(ReadRequest.parse(body))) }),
    bus.listen(subjects.reach, { callback: answer(async (body) => reach(ReachRequest.parse(body).tx_ids)) }),
  ];
  return () => {
    for (const one of subscriptions) one.unsubscribe();
  };
};
