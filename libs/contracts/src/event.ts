import { z } from 'zod';

/** One domain event, declared once: its CloudEvents type, its subject and the schema of its data. */
export interface EventDef<D extends z.ZodType = z.ZodType> {
  /** CloudEvents `type`: `<service>.<entity>.<what>.v<n>`. */
  type: string;
  service: string;
  summary: string;
  data: D;
  /** Services whose answers are made of it: a consistency token of its write waits for these. */
  feeds: readonly string[];
  /** The NATS subject of this event in one org. */
  subject: (org_id: string) => string;
}

/** Declares an event. `name` is `<service>.<entity>.<what>`; a change that is not additive is another `version`. */
export const event = <D extends z.ZodType>(
  name: string,
  summary: string,
  data: D,
  { feeds = [], version = 1 }: { feeds?: readonly string[]; version?: number } = {},
): EventDef<D> => ({
  type: `${name}.v${version}`,
  service: name.slice(0, name.indexOf('.')),
  summary,
  data,
  feeds,
  subject: (org_id) => `evt.${org_id}.${name}`,
});

export type EventData<E extends EventDef> = z.output<E['data']>;

/**
 * The envelope on the bus: CloudEvents 1.0 in JSON (structured mode), with these extensions:
 * `orgid`, `txid` (all events of one transaction share it), `actor`, `requestid` and `traceparent`
 * (W3C). `subject` is the id of the aggregate; events of one aggregate arrive in order. `sequence` is the
 * place in the source's event history, zero-padded: of two states of one record the later has the higher.
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
  /** Given by the relay: nobody knows it before the event is stored. */
  sequence: z.string().optional(),
  data: z.unknown(),
});
export type Envelope = z.output<typeof Envelope>;
