import { type EventDef, SUBJECT_ROOT } from '@teaching/contracts';
import type { Json } from './json-schema.ts';
import { Schemas } from './schemas.ts';
import { splitSummary } from './summary.ts';

/** Members of every message. */
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

/** The server of the events. */
const SERVERS = {
  broker: {
    host: '{host}:{port}',
    protocol: 'nats',
    description:
      'JetStream: one stream for each log stores the published events. A user reads the subjects in its permissions',
    variables: {
      host: { default: 'localhost', description: 'Host of the broker' },
      port: { default: '4222', description: 'Port for clients' },
    },
    security: [{ $ref: '#/components/securitySchemes/user' }],
  },
};

/** Members of a channel or message whose event is no longer published but is in the history. */
const replaced = ({ replaced_by }: EventDef): Json =>
  replaced_by === null
    ? {}
    : {
        description: `Deprecated: no longer published, replaced by \`${replaced_by}\`. The history still contains it.`,
        'x-replaced-by': replaced_by,
      };

const envelope = (event: EventDef, schemas: Schemas): Json => ({
  type: 'object',
  ...(event.replaced_by === null ? {} : { deprecated: true }),
  required: [...ALWAYS],
  properties: {
    specversion: { const: '1.0', description: 'CloudEvents 1.0' },
    id: { type: 'string', format: 'uuid', description: 'Id of the event. An event that arrives twice has the same id' },
    source: { const: `/${event.service}`, description: 'The service that publishes it' },
    type: { const: event.type, description: 'Type of the event, with the version of its data' },
    subject: { type: 'string', description: 'Id of the aggregate. Events of one aggregate arrive in order' },
    time: { type: 'string', format: 'date-time', description: 'Time of the event; RFC 3339 in UTC' },
    datacontenttype: { const: 'application/json', description: 'Content type of `data`' },
    orgid: { type: 'string', format: 'uuid', description: 'Id of the organization' },
    txid: { type: 'string', format: 'uuid', description: 'Id of the transaction; the same in all its events' },
    actor: { type: 'string', description: 'User id of the person who caused it' },
    requestid: { type: 'string', description: 'Id of the request that caused it' },
    traceparent: { type: 'string', description: 'W3C trace context of the request' },
    sequence: {
      type: 'string',
      pattern: '^\\d{16}$',
      description:
        'Offset in the log of the source: four digits for the epoch, twelve for the number. Of two states of one record, the later one has the higher sequence',
    },
    previousid: {
      type: 'string',
      format: 'uuid',
      description:
        'Id of the previous event of the organization in this log; absent in the first. Use it to detect gaps',
    },
    data: { ...schemas.of(event.data, 'output'), description: event.summary },
  },
});

/**
 * The AsyncAPI 3 document of events: a channel and a message each, and an operation for each that is still published.
 */
export const asyncApiDocument = (events: readonly EventDef[]): Json => {
  const schemas = new Schemas([], events);
  const messages = Object.fromEntries(
    events.map((event) => [
      event.type,
      {
        name: event.type,
        title: splitSummary(event.summary).title,
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
      description: `CloudEvents 1.0 in JSON over JetStream: domain events under \`${SUBJECT_ROOT.domain}.{org_id}.>\`, records of the audit log under \`${SUBJECT_ROOT.audit}.{org_id}.>\`. A version of an event only gets new optional fields: ignore fields that you do not know. Any other change is a new version beside it.`,
    },
    defaultContentType: 'application/cloudevents+json',
    servers: SERVERS,
    channels: Object.fromEntries(
      events.map((event) => [
        event.type,
        {
          ...replaced(event),
          address: event.subject('{org_id}'),
          parameters: { org_id: { description: 'Id of the organization' } },
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
        user: { type: 'userPassword', description: 'A user of the broker with permission to read these subjects' },
      },
      schemas: schemas.components,
      messages,
    },
  };
};
