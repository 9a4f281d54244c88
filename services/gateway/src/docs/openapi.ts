import { type AnyCall, type Calls, ACCESS_RULES } from '@teaching/contracts';
import { Bodies, headerRefs, HEADERS } from './bodies.ts';
import type { Json } from './json-schema.ts';
import { Parameters } from './parameters.ts';
import { errorComponents } from './problem-responses.ts';
import { Schemas } from './schemas.ts';
import { splitSummary } from './summary.ts';
import { documentTags, tagOf } from './tags.ts';

const rolesOf = ({ roles }: AnyCall): string => (Array.isArray(roles) ? roles.join(', ') : 'anyone, without a token');

/** The access of roles that cannot access all records: `TEACHER: records that the caller owns.` */
const accessOf = ({ access, child }: AnyCall): string[] => {
  const limited = Object.entries(access ?? {}).flatMap(([role, rules]) =>
    rules === 'all' || (role === 'GUARDIAN' && child !== null)
      ? []
      : [{ role, records: rules.map((rule) => ACCESS_RULES[rule]).join(', and ') }],
  );
  const byRecords = Map.groupBy(limited, ({ records }) => records);
  return [...byRecords].map(([records, group]) => `${group.map(({ role }) => role).join(', ')}: ${records}.`);
};

/** The access of a guardian, by the way in which the call finds the child. */
const FOR_GUARDIANS = {
  named:
    'A guardian must name a linked child by `student_id` and gets the answer of that child; without it 400, for another student 404.',
  any: 'A guardian gets the answer of the linked child that can access the record, or of the child named by `student_id`; else 404.',
} as const;

/** The cost of a call in requests, if it is not 1. */
const costOf = ({ cost, other_type, other_type_cost }: AnyCall): string[] => [
  ...(cost === 1 ? [] : [`Counts as ${cost} requests.`]),
  ...(other_type_cost === cost ? [] : [`With \`Accept: ${other_type}\` it counts as ${other_type_cost} requests.`]),
];

/** The description of an operation: details of its summary, roles, access, audit and cost. */
const descriptionOf = (call: AnyCall, details: string | undefined): string =>
  [
    ...(details === undefined ? [] : [details]),
    `Roles: ${rolesOf(call)}.`,
    ...accessOf(call),
    ...(call.child === null ? [] : [FOR_GUARDIANS[call.child]]),
    ...(call.audited ? ['The read creates an entry in the audit log.'] : []),
    ...costOf(call),
  ].join(' ');

/** The title of the API. */
export const API_TITLE = 'Teaching API';

const INFO = {
  title: API_TITLE,
  version: '1',
  summary: 'Class and course management for teaching organizations',
  description: [
    'Class and course management for teaching organizations. Each request except the calendar feed needs `Authorization: Bearer <token>`. The token alone determines the caller, the roles and the organization.',
    'v1 only grows: new routes, new optional request fields, new response fields. Ignore fields and values that you do not know. Any other change is v2. The headers `Deprecation` and `Sunset` and this document announce removals.',
    'Requests are limited for each user and for each organization. `RateLimit-Policy` and `RateLimit` contain the limits and the rest; after 429, wait for `Retry-After` seconds. Expensive calls count as several requests: see their description and `x-cost`.',
    '503 means that nothing was stored: send the request again after `Retry-After`. 504 `timeout` is a read that took too long. 504 `outcome_unknown` is a write that may have been stored: send it again with the same `Idempotency-Key`, and it is stored once. Both can occur for some seconds while a part of the system is replaced. A connection with more than 16 unanswered requests gets 503 and is closed after the answers to these requests.',
    'A write accepts an `Idempotency-Key`, which makes it safe to send again. Lists have pages: send `next_cursor` as `cursor`. Lesson hours are decimals with two places, as text. Money is an integer in the minor unit of its currency.',
  ].join('\n\n'),
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'Teaching' },
};

const NOT_MODIFIED = {
  description: 'The record has not changed',
  headers: headerRefs('x-request-id', 'ETag'),
};

/** The OpenAPI 3.1 document of these calls, by operation id. */
export const openApiDocument = (operations: Calls): Json => {
  const calls = Object.values(operations);
  const schemas = new Schemas(calls);
  const [bodies, parameters, refused] = [new Bodies(schemas), new Parameters(schemas), errorComponents(calls, schemas)];

  const operation = (operationId: string, call: AnyCall): Json => {
    const { title, details } = splitSummary(call.summary);
    return {
      operationId,
      tags: [tagOf(call)],
      summary: title,
      description: descriptionOf(call, details),
      'x-cost': call.cost,
      ...(call.roles === 'anyone' ? { security: [] } : {}),
      parameters: parameters.of(call),
      ...bodies.requestBody(call),
      responses: { ...bodies.successResponses(call), ...refused.responsesOf(call) },
    };
  };

  const paths: Record<string, Json> = {};
  for (const [id, call] of Object.entries(operations)) {
    if (call.http === null) continue;
    (paths[call.http.path] ??= {})[call.http.method.toLowerCase()] = operation(id, call);
  }
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/', description: 'The server of this document' }],
    security: [{ bearer: [] }],
    ...documentTags(calls),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A token of the configured issuer',
        },
      },
      headers: HEADERS,
      parameters: parameters.components,
      schemas: { ...schemas.components, ...refused.schemas },
      responses: { ...refused.responses, NotModified: NOT_MODIFIED },
      examples: { ...bodies.examples, ...refused.examples },
    },
  };
};
