import { type AnyCall, type Calls, RULES } from '@teaching/contracts';
import { Bodies, headerRefs, HEADERS } from './bodies.ts';
import type { Json } from './json-schema.ts';
import { Parameters } from './parameters.ts';
import { refusals } from './problem-responses.ts';
import { Schemas } from './schemas.ts';
import { headings, tagOf } from './tags.ts';

const whoMay = ({ who }: AnyCall): string => (Array.isArray(who) ? who.join(', ') : 'anyone');

/** What those reach who do not reach everything: `TEACHER: what they own.` */
const reachedBy = ({ whose, child }: AnyCall): string[] => {
  const limited = Object.entries(whose ?? {}).flatMap(([role, rules]) =>
    rules === 'all' || (role === 'GUARDIAN' && child !== null)
      ? []
      : [{ role, what: rules.map((rule) => RULES[rule]).join(', and ') }],
  );
  const together = Map.groupBy(limited, ({ what }) => what);
  return [...together].map(([what, roles]) => `${roles.map(({ role }) => role).join(', ')}: ${what}.`);
};

/** What a guardian may, by how the call finds the child. */
const FOR_GUARDIANS = {
  named:
    'A guardian names one of their children by `student_id` and is answered as that child would be; without it 400, with anybody else 404.',
  any: 'A guardian is answered as the one of their children would be for whom it is there, or the one that `student_id` names; else 404.',
} as const;

/** As how many requests it counts, if not as one. */
const costOf = ({ cost, also, also_cost }: AnyCall): string[] => [
  ...(cost === 1 ? [] : [`Counts as ${cost} requests.`]),
  ...(also_cost === cost ? [] : [`As ${also} it counts as ${also_cost} requests.`]),
];

/** What holds for a call beside its summary. */
const descriptionOf = (call: AnyCall): string =>
  [
    `Who: ${whoMay(call)}.`,
    ...reachedBy(call),
    ...(call.child === null ? [] : [FOR_GUARDIANS[call.child]]),
    ...(call.audited ? ['A safe read; it leaves an entry on the audit trail.'] : []),
    ...costOf(call),
  ].join(' ');

/** What the whole is called. */
export const SYSTEM = 'Teaching API';

const INFO = {
  title: SYSTEM,
  version: '1',
  summary: 'Class and course management for teaching organizations',
  description: [
    'Class and course management. Every request but the calendar feed needs `Authorization: Bearer <token>`; who it is and to which organization they belong is read from the token alone.',
    'v1 only grows: new optional fields, new routes, new members of answers. Pass over what you do not know. Everything else would be v2; what goes away is announced by the `Deprecation` and `Sunset` headers and here.',
    'Requests are limited for each user and for each organization; `RateLimit-Policy` and `RateLimit` say how far, and after 429 `Retry-After` when there is more. What costs much counts as several, as its description and `x-cost` say.',
    '503 says that nothing was done: send it again after `Retry-After`. 504 `timeout` is a read that took too long, `outcome_unknown` a write that may have been stored: send it again under the same `Idempotency-Key`, and it is stored once. While a part of the system is lost and another takes its place, requests may be answered so for some seconds.',
    'A write takes an `Idempotency-Key` and may be sent again under it. Lists page by `cursor`. Lesson hours are decimals with two places, as text; money is counted in the minor unit of its currency.',
  ].join('\n\n'),
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'Teaching' },
};

const NOT_MODIFIED = {
  description: 'What the caller has is current',
  headers: headerRefs('x-request-id', 'ETag'),
};

/** The OpenAPI 3.1 document of these calls, by operation id. */
export const openApiDocument = (operations: Calls): Json => {
  const calls = Object.values(operations);
  const schemas = new Schemas(calls);
  const [bodies, parameters, refused] = [new Bodies(schemas), new Parameters(schemas), refusals(calls, schemas)];

  const operation = (operationId: string, call: AnyCall): Json => ({
    operationId,
    tags: [tagOf(call)],
    summary: call.summary,
    description: descriptionOf(call),
    'x-cost': call.cost,
    ...(call.who === 'anyone' ? { security: [] } : {}),
    parameters: parameters.of(call),
    ...bodies.sent(call),
    responses: { ...bodies.answered(call), ...refused.answersOf(call) },
  });

  const paths: Record<string, Json> = {};
  for (const [id, call] of Object.entries(operations)) {
    if (call.http === null) continue;
    (paths[call.http.path] ??= {})[call.http.method.toLowerCase()] = operation(id, call);
  }
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/', description: 'Where this document was read' }],
    security: [{ bearer: [] }],
    ...headings(calls),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The token of the issuer' },
      },
      headers: HEADERS,
      parameters: parameters.components,
      schemas: { ...schemas.components, ...refused.schemas },
      responses: { ...refused.responses, NotModified: NOT_MODIFIED },
      examples: { ...bodies.examples, ...refused.examples },
    },
  };
};
