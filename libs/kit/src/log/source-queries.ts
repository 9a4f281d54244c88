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

/** An entry as JSON text; its event is put in as it is. */
const entryText = (service: string, row: EntryRow): string => {
  const head = `{"epoch":${row.epoch},"no":${row.no},"id":"${row.id}"`;
  return row.data === null ? `${head}}` : `${head},"event":${envelopeText(service, row)}}`;
};

/** Answers what followers and readers ask about the logs of a source, while its term lasts. */
export const answerSourceQueries = ({ service, bus, pool, log }: SourceDeps, term: SourceTerm): (() => void) => {
  /** The last number that both have, where it is known: the asker's epoch ended before its place. */
  const commonWith = async (kind: LogKind, after: Offset): Promise<number | null> => {
    const later = await laterEpoch(pool, kind, after.epoch);
    return later === undefined || after.no < later ? null : later - 1;
  };

  const placeOfHead = (kind: LogKind): Offset => {
    const { epoch, no, id } = term.head(kind);
    return { epoch, no, id };
  };

  const broken = async (kind: LogKind, after: Offset): Promise<Refusal> => {
    const common = await commonWith(kind, after);
    return { state: 'broken', head: placeOfHead(kind), common };
  };

  /** The asker's place as this log has it, or why it has not. */
  const verify = async (kind: LogKind, after: Offset): Promise<Offset | Refusal> => {
    const head = term.head(kind);
    if (after.no === 0 && after.id === null) return offsetAt(pool, kind, head.base);
    if (after.no < head.base) return { state: 'hole', head: placeOfHead(kind), base: head.base };
    const own = after.no > head.no ? undefined : await offsetAt(pool, kind, after.no);
    const same = after.id === null || own?.id === after.id || (own?.id === null && after.no === head.base);
    if (own !== undefined && same) return { ...own, id: own.id ?? after.id };
    return broken(kind, after);
  };

  /** Nobody is told that the log went back before the database itself says so. */
  const verifySurely = async (kind: LogKind, after: Offset): Promise<Offset | Refusal> => {
    const first = await verify(kind, after);
    if (!('state' in first) || first.state !== 'broken') return first;
    await term.reload();
    const again = await verify(kind, after);
    if (!('state' in again) || again.state !== 'broken') return again;
    await term.wentBack(kind, after, 'a follower');
    return broken(kind, after);
  };

  const read = async ({ log: kind, after: asked, limit }: ReadRequest): Promise<string> => {
    const after = await verifySurely(kind, asked);
    if ('state' in after) return JSON.stringify(after);
    const rows = limit === 0 ? [] : await readEntries(pool, { log: kind, after: after.no, limit });
    const entries = rows.map((row) => entryText(service, row)).join(',');
    const head = JSON.stringify(placeOfHead(kind));
    return `{"state":"ok","after":${JSON.stringify(after)},"head":${head},"entries":[${entries}]}`;
  };

  const reach = async (tx_ids: readonly string[]): Promise<string> => {
    if (term.recent.find(tx_ids).missing.length > 0) await term.settled();
    const { found, missing } = term.recent.find(tx_ids);
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
        // Who asked hears nothing and asks again.
        log.warn({ err: fault, subject }, 'a question about the log failed');
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
