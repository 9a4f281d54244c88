import { z } from 'zod';

/** The logs of a service: domain events, and records of the audit log. Each log has its own numbers and readers. */
export const LOG_KINDS = ['domain', 'audit'] as const;
export type LogKind = (typeof LOG_KINDS)[number];

interface EventSpec {
  /** Services whose answers depend on the event. A consistency token of the write waits for them. */
  feeds: readonly string[];
  version: number;
  log: LogKind;
  /** The type that replaces this one. It is no longer published, but the history contains it. */
  replaced_by: string | null;
}

/** One domain event, declared once: its CloudEvents type, its subject and the schema of its data. */
export interface EventDef<D extends z.ZodType = z.ZodType> extends EventSpec {
  /** CloudEvents `type`: `<service>.<entity>.<action>.v<n>`. */
  type: string;
  /** The type without its version; the same for all versions of the event. */
  name: string;
  service: string;
  summary: string;
  data: D;
  /** The NATS subject in one organization: `evt.<org>.<name>`, or `audit.<org>.<name>` in the audit log. */
  subject: (org_id: string) => string;
}

/** Where a log's events are published: the first part of their subjects. */
export const SUBJECT_ROOT: Readonly<Record<LogKind, string>> = { domain: 'evt', audit: 'audit' };

/** Declares an event. `name` is `<service>.<entity>.<action>`. A change that is not additive needs a new `version`. */
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
 * The envelope on the bus: CloudEvents 1.0 in JSON (structured mode), with these extensions: `orgid`, `txid` (all
 * events of one transaction share it), `actor`, `requestid` and `traceparent` (W3C). `subject` is the id of the
 * aggregate; events of one aggregate arrive in order. `sequence` is the offset in the log of the source, 16 digits:
 * four for the epoch, twelve for the number. Of two states of one record, the later one has the higher sequence.
 * `previousid` is the id of the organization's previous event in that log; the first has none.
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
  /** Assigned when the event is numbered, after the transaction that stored it. */
  sequence: z.string().optional(),
  previousid: z.string().optional(),
  data: z.unknown(),
});
export type Envelope = z.output<typeof Envelope>;
