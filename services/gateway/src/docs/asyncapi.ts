import { type EventDef, SUBJECT_ROOT } from '@teaching/contracts';
import type { Json } from './json-schema.ts';
import { Schemas } from './schemas.ts';

/** What every message has. */
const ALWAYS = [
  'specversion',
  'id',
  'source',
  'type',
  'subject',
  'time',
  'datacontenttype',
  'orgid',
  'txid',
  'actor',
  'requestid',
  'sequence',
  'data',
] as const;

/** Where events are told, and who is heard there. */
const SERVERS = {
  broker: {
    host: '{host}:{port}',
    protocol: 'nats',
    description: 'JetStream: a stream of each log keeps what was told. A user reads what its permissions name',
    variables: {
      host: { default: 'localhost', description: 'The broker' },
      port: { default: '4222', description: 'Its port for clients' },
    },
    security: [{ $ref: '#/components/securitySchemes/user' }],
  },
};

/** What remains of an event that is no longer emitted: its place in the history, and how to read it there. */
const replaced = ({ replaced_by }: EventDef): Json =>
  replaced_by === null
    ? {}
    : {
        description: `Deprecated: no longer emitted, replaced by \`${replaced_by}\`. It stands in the history and can be read there.`,
        'x-replaced-by': replaced_by,
      };

const envelope = (event: EventDef, schemas: Schemas): Json => ({
  type: 'object',
  ...(event.replaced_by === null ? {} : { deprecated: true }),
  required: [...ALWAYS],
  properties: {
    specversion: { const: '1.0', description: 'CloudEvents 1.0' },
    id: { type: 'string', format: 'uuid', description: 'The event; one that comes twice is the same one' },
    source: { const: `/${event.service}`, description: 'The service that tells it' },
    type: { const: event.type, description: 'What happened, with the version of its data' },
    subject: { type: 'string', description: 'Id of the aggregate; its events arrive in order' },
    time: { type: 'string', format: 'date-time', description: 'When it happened; RFC 3339 in UTC' },
    datacontenttype: { const: 'application/json', description: 'What `data` is' },
    orgid: { type: 'string', format: 'uuid', description: 'The organization it happened in' },
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
    data: { ...schemas.of(event.data, 'output'), description: event.summary },
  },
});

/** The AsyncAPI 3 document of all events: a channel and a message each, and an operation for what is still emitted. */
export const asyncApiDocument = (events: readonly EventDef[]): Json => {
  const schemas = new Schemas([], events);
  const messages = Object.fromEntries(
    events.map((event) => [
      event.type,
      {
        name: event.type,
        title: event.summary,
        summary: event.summary,
        ...replaced(event),
        contentType: 'application/cloudevents+json',
        payload: envelope(event, schemas),
      },
    ]),
  );
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Teaching events',
      version: '1',
      description: `CloudEvents 1.0 in JSON over JetStream: what happened under \`${SUBJECT_ROOT.domain}.{org_id}.>\`, what the audit trail keeps under \`${SUBJECT_ROOT.audit}.{org_id}.>\`. A version of an event only gets new optional fields: pass over what you do not know. Anything else is a new version beside it.`,
    },
    defaultContentType: 'application/cloudevents+json',
    servers: SERVERS,
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
      securitySchemes: {
        user: { type: 'userPassword', description: 'A user of the broker, who may read these subjects' },
      },
      schemas: schemas.components,
      messages,
    },
  };
};
