import type { LogKind } from '@teaching/contracts';
import type { Msg } from '@nats-io/transport-node';
import { envelopeText, type EntryRow } from './entry.ts';
import { idAt, reached, readEntries } from './log-rows.ts';
import { isInboxOf } from '../rpc/subjects.ts';
import { logSubjects, ReachRequest, type Reach, type ReadAnswer, ReadRequest } from './messages.ts';
import { orderOf, type Place } from './place.ts';
import { epochOf } from './epochs.ts';
import type { SourceTerm } from './source.ts';
import type { SourceDeps } from './source-deps.ts';

type Refusal = Exclude<ReadAnswer, { state: 'ok' }>;

/** An entry as JSON text; its event is put in as it is. */
const entryText = (service: string, row: EntryRow): string => {
  const head = `{"epoch":${row.epoch},"no":${row.no},"id":"${row.id}"`;
  return row.data === null ? `${head}}` : `${head},"event":${envelopeText(service, row)}}`;
};

/** Answers what followers and readers ask about the logs of a source, while its term lasts. */
export const answerAbout = ({ service, bus, pool, log }: SourceDeps, term: SourceTerm): (() => void) => {
  /** The last number that both have, where it is known: the asker's epoch ended before its place. */
  const commonWith = (kind: LogKind, after: Place): number | null => {
    const next = term.epochs.find((it) => it.log === kind && it.epoch > after.epoch);
    return next === undefined || after.no < next.first_no ? null : next.first_no - 1;
  };

  const placeOfHead = (kind: LogKind): Place => {
    const { epoch, no, id } = term.head(kind);
    return { epoch, no, id };
  };

  /** The asker's place as this log has it, or why it has not. */
  const verify = async (kind: LogKind, after: Place): Promise<Place | Refusal> => {
    const head = term.head(kind);
    if (after.no === 0 && after.id === null) return { epoch: 0, no: head.base, id: await idAt(pool, kind, head.base) };
    if (after.no < head.base) return { state: 'hole', head: placeOfHead(kind), base: head.base };
    const id = after.no > head.no ? undefined : await idAt(pool, kind, after.no);
    const same = id !== undefined && (after.id === null || id === after.id || (id === null && after.no === head.base));
    if (same) return { epoch: epochOf(term.epochs, { log: kind, no: after.no }), no: after.no, id: id ?? after.id };
    return { state: 'broken', head: placeOfHead(kind), common: commonWith(kind, after) };
  };

  /** Nobody is told that the log went back before the database itself says so. */
  const verifySurely = async (kind: LogKind, after: Place): Promise<Place | Refusal> => {
    const first = await verify(kind, after);
    if (!('state' in first) || first.state !== 'broken') return first;
    await term.reload();
    const again = await verify(kind, after);
    if (!('state' in again) || again.state !== 'broken') return again;
    await term.wentBack(kind, after, 'a follower');
    return { state: 'broken', head: placeOfHead(kind), common: commonWith(kind, after) };
  };

  const read = async ({ log: kind, after: asked, limit }: ReadRequest): Promise<string> => {
    const after = await verifySurely(kind, asked);
    if ('state' in after) return JSON.stringify(after);
    const rows = limit === 0 ? [] : await readEntries(pool, term.epochs, { log: kind, after: after.no, limit });
    const entries = rows.map((row) => entryText(service, row)).join(',');
    const head = JSON.stringify(placeOfHead(kind));
    return `{"state":"ok","after":${JSON.stringify(after)},"head":${head},"entries":[${entries}]}`;
  };

  const reach = async (tx_ids: readonly string[]): Promise<string> => {
    if (term.recent.find(tx_ids).missing.length > 0) await term.settled();
    const { found, missing } = term.recent.find(tx_ids);
    const older: Reach = {};
    const order = (no: number): number => orderOf({ epoch: epochOf(term.epochs, { log: 'domain', no }), no });
    for (const row of missing.length === 0 ? [] : await reached(pool, missing)) {
      older[row.tx_id] = { first: order(row.first_no), last: order(row.no) };
    }
    return JSON.stringify({ reached: { ...older, ...found } });
  };

  const answer = (parse: (body: unknown) => Promise<string>) => (error: Error | null, message: Msg) => {
    const { reply = '', subject } = message;
    if (error !== null || !isInboxOf(reply, subject.split('.').at(-1) ?? '')) return;
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
