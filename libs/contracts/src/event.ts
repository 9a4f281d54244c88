import { z } from 'zod';

/** What happened in a service's domain, and what its audit trail keeps: each is numbered, kept and read for itself. */
export const LOG_KINDS = ['domain', 'audit'] as const;
export type LogKind = (typeof LOG_KINDS)[number];

interface EventSpec {
  /** Services whose answers are made of it: a consistency token of its write waits for these. */
  feeds: readonly string[];
  version: number;
  log: LogKind;
  /** The type that tells it instead; this one is no longer emitted, but stands in the history and can be read. */
  replaced_by: string | null;
}

/** One domain event, declared once: its CloudEvents type, its subject and the schema of its data. */
export interface EventDef<D extends z.ZodType = z.ZodType> extends EventSpec {
  /** CloudEvents `type`: `<service>.<entity>.<what>.v<n>`. */
  type: string;
  /** The type without its version; the same for all versions of what is told. */
  name: string;
  service: string;
  summary: string;
  data: D;
  /** The NATS subject of this event in one org: `evt.<org>.<name>`, or `audit.<org>.<name>` for what the trail keeps. */
  subject: (org_id: string) => string;
}

/** Where a log's events are published: the first part of their subjects. */
export const SUBJECT_ROOT: Readonly<Record<LogKind, string>> = { domain: 'evt', audit: 'audit' };

/** Declares an event. `name` is `<service>.<entity>.<what>`; a change that is not additive is another `version`. */
export const event = <D extends z.ZodType>(
  name: string,
  summary: string,
  data: D,
  spec: Partial<EventSpec> = {},
): EventDef<D> => {
  const { feeds = [], version = 1, log = 'domain', replaced_by = null } = spec;
  return {
    type: `${name}.v${version}`,
    name,
    service: name.slice(0, name.indexOf('.')),
    summary,
    data,
    feeds,
    version,
    log,
    replaced_by,
    subject: (org_id) => `${SUBJECT_ROOT[log]}.${org_id}.${name}`,
  };
};

export type EventData<E extends EventDef> = z.output<E['data']>;

/**
 * The envelope on the bus: CloudEvents 1.0 in JSON (structured mode), with these extensions:
 * `orgid`, `txid` (all events of one transaction share it), `actor`, `requestid` and `traceparent`
 * (W3C). `subject` is the id of the aggregate; events of one aggregate arrive in order. `sequence` is the
 * place in the source's log, 16 digits: four of the epoch, twelve of the number. Of two states of one record
 * the later has the higher. `previousid` is the id of the org's event before it in that log; absent in its first.
 */
export const Envelope = z.object({
  specversion: z.literal('1.0'),
  id: z.string(),
  source: z.string(),
  type: z.string(),
  subject: z.string(),
  time: z.string(),
  datacontenttype: z.literal('application/json'),
  orgid: z.string(),
  txid: z.string(),
  actor: z.string(),
  requestid: z.string(),
  traceparent: z.string().optional(),
  /** Given when the event is numbered: nobody knows it before it is stored. */
  sequence: z.string().optional(),
  previousid: z.string().optional(),
  data: z.unknown(),
});
export type Envelope = z.output<typeof Envelope>;
