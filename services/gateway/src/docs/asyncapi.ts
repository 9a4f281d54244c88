import type { EventDef } from '@teaching/contracts';
import { z } from 'zod';

type Json = Record<string, unknown>;

const envelope = (event: EventDef): Json => ({
  type: 'object',
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
    actor: { type: 'string' },
    requestid: { type: 'string' },
    traceparent: { type: 'string' },
    data: z.toJSONSchema(event.data, { io: 'output', unrepresentable: 'any' }),
  },
});

/** The AsyncAPI 3 document of all events: one channel, one message, one operation each. */
export const asyncApiDocument = (events: readonly EventDef[]): Json => ({
  asyncapi: '3.0.0',
  info: {
    title: 'Teaching events',
    version: '1',
    description: 'CloudEvents 1.0 in JSON on the JetStream stream EVENTS. Additive only.',
  },
  channels: Object.fromEntries(
    events.map((event) => [
      event.type,
      {
        address: event.subject('{org_id}'),
        parameters: { org_id: { description: 'Organization' } },
        messages: { event: { $ref: `#/components/messages/${event.type}` } },
      },
    ]),
  ),
  operations: Object.fromEntries(
    events.map((event) => [
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
          contentType: 'application/cloudevents+json',
          payload: envelope(event),
        },
      ]),
    ),
  },
});
