import { type EventDef, SUBJECT_ROOT } from '@teaching/contracts';
import { z } from 'zod';

type Json = Record<string, unknown>;

/** What remains of an event that is no longer emitted: its place in the history, and how to read it there. */
const replaced = ({ replaced_by }: EventDef): Json =>
  replaced_by === null
    ? {}
    : {
        description: `Deprecated: no longer emitted, replaced by \`${replaced_by}\`. It stands in the history and can be read there.`,
        'x-replaced-by': replaced_by,
      };

const envelope = (event: EventDef): Json => ({
  type: 'object',
  ...(event.replaced_by === null ? {} : { deprecated: true }),
  required: ['specversion', 'id', 'source', 'type', 'subject', 'time', 'orgid', 'txid', 'data'],
  properties: {
    specversion: { const: '1.0' },
    id: { type: 'string', format: 'uuid' },
    source: { const: `/${event.service}` },
    type: { const: event.type },
    subject: { type: 'string', description: 'Id of the aggregate; its events arrive in order' },
    time: { type: 'string', format: 'date-time' },
    datacontenttype: { const: 'application/json' },
    orgid: { type: 'string', format: 'uuid' },
    txid: { type: 'string', format: 'uuid', description: 'Shared by all events of one transaction' },
    actor: { type: 'string', description: 'Who caused it' },
    requestid: { type: 'string', description: 'The request it was caused by' },
    traceparent: { type: 'string', description: 'W3C trace context of that request' },
    sequence: {
      type: 'string',
      pattern: '^\\d{16}$',
      description:
        "Place in the source's log: four digits of the epoch, twelve of the number. Of two states of one record the later has the higher",
    },
    previousid: {
      type: 'string',
      format: 'uuid',
      description: "Id of the organization's event before it in that log; absent in its first. A gap shows by it",
    },
    data: z.toJSONSchema(event.data, { io: 'output', unrepresentable: 'any' }),
  },
});

/** The AsyncAPI 3 document of all events: a channel and a message each, and an operation for what is still emitted. */
export const asyncApiDocument = (events: readonly EventDef[]): Json => ({
  asyncapi: '3.0.0',
  info: {
    title: 'Teaching events',
    version: '1',
    description: `CloudEvents 1.0 in JSON over JetStream: what happened under \`${SUBJECT_ROOT.domain}.{org_id}.>\`, what the audit trail keeps under \`${SUBJECT_ROOT.audit}.{org_id}.>\`. A version of an event only gets new optional fields: pass over what you do not know. Anything else is a new version beside it.`,
  },
  channels: Object.fromEntries(
    events.map((event) => [
      event.type,
      {
        ...replaced(event),
        address: event.subject('{org_id}'),
        parameters: { org_id: { description: 'Organization' } },
        messages: { event: { $ref: `#/components/messages/${event.type}` } },
      },
    ]),
  ),
  operations: Object.fromEntries(
    events
      .filter((event) => event.replaced_by === null)
      .map((event) => [
        event.type,
        { action: 'send', summary: event.summary, channel: { $ref: `#/channels/${event.type}` } },
      ]),
  ),
  components: {
    messages: Object.fromEntries(
      events.map((event) => [
        event.type,
        {
          name: event.type,
          summary: event.summary,
          ...replaced(event),
          contentType: 'application/cloudevents+json',
          payload: envelope(event),
        },
      ]),
    ),
  },
});
