import {
  type AnyCall,
  MAX_LISTED_ERRORS,
  Problem,
  PROBLEM_MEMBERS,
  type ProblemCode,
  problemDocument,
  PROBLEMS,
  refusalsOf,
} from '@teaching/contracts';
import { z } from 'zod';
import { COMMON_HEADERS, headerRefs } from './bodies.ts';
import { exampleOf, type Json, pascalCase } from './json-schema.ts';
import type { Schemas } from './schemas.ts';

const REQUEST = '01a1fa71-52b3-72d4-8d7e-2c1f5d3c9a10';
/** Descriptions of problem members. A member of the same name elsewhere may have another meaning. */
const MEANINGS: Readonly<Record<string, string>> = {
  from: 'Current state',
  to: 'Requested state',
  conflicts: 'The first lessons that clash, with the teacher, room or students that clash',
  conflicts_total: 'Number of conflicts, if not all are listed',
  blockers: 'Obstacles to the completion of the class',
  students: 'Students with too few hours, with balance and hours needed',
  lesson_ids: 'Ids of the lessons that cause the problem',
  room: 'Name of the room',
  capacity: 'Capacity of the room',
  free_seats: 'Number of free seats',
  taken: 'Number of seats taken. For several lessons: the highest number',
  used_by: 'Number of records that use it, by kind',
  claimed_by: 'User id of the person who claimed it',
  claim_expires_at: 'End of the claim',
  submission_ids: 'Ids of the submissions that cause the problem',
  missing: 'Ids that are stored but missing in the request',
  unknown: 'Ids in the request that are not stored',
  local_date: 'Local day of the request',
  today: 'Current local day in the zone of the plan',
};

const FIELD_PROBLEM = {
  type: 'object',
  required: ['path', 'message'],
  properties: {
    path: { type: 'string', description: 'JSON Pointer (RFC 6901) to the field, under `/body`, `/query` or `/path`' },
    message: { type: 'string', description: 'The problem of the field, for people' },
  },
};

const BASE: Json = {
  type: 'object',
  description: 'An error (RFC 9457). Programs must use `code`',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: '`urn:problem:` and the code' },
    title: { type: 'string', description: 'Short text of the code, for people' },
    status: { type: 'integer', description: 'HTTP status of the response' },
    detail: { type: 'string', description: 'Explanation of this error, for people' },
    code: { type: 'string', description: 'Stable error code' },
    request_id: { type: 'string', format: 'uuid', description: 'Id of the request; also in the header `x-request-id`' },
    errors: {
      type: 'array',
      maxItems: MAX_LISTED_ERRORS,
      items: { $ref: '#/components/schemas/FieldProblem' },
      description: 'The problems of the request, by field',
    },
    errors_total: { type: 'integer', description: 'Number of problems, if not all are listed' },
  },
};

const nameOf = (code: ProblemCode): string => `${pascalCase(code)}Problem`;
const membersOf = (code: ProblemCode): Readonly<Record<string, z.ZodType>> =>
  (new Map<string, z.ZodRawShape>(Object.entries(PROBLEM_MEMBERS)).get(code) as
    | Record<string, z.ZodType>
    | undefined) ?? {};

const schemaOf = (code: ProblemCode, schemas: Schemas): Json => {
  const members = Object.entries(membersOf(code)).map(([name, type]) => {
    const description = MEANINGS[name];
    return [name, { ...schemas.of(type, 'output'), ...(description === undefined ? {} : { description }) }];
  });
  const [status, title] = PROBLEMS[code];
  return {
    description: title,
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      {
        type: 'object',
        required: ['status', 'code'],
        properties: {
          status: { const: status, type: 'integer', description: 'HTTP status of the response' },
          code: { const: code, type: 'string', description: 'Stable error code' },
          ...Object.fromEntries(members),
        },
      },
    ],
  };
};

const exampleFor = (code: ProblemCode, schemas: Schemas): Json => {
  const members = exampleOf(schemas.inlined(z.object(membersOf(code)), 'output')) as Json;
  const errors = code === 'invalid_request' ? [{ path: '/body/title', message: 'is required' }] : undefined;
  const extra = errors === undefined ? { members } : { members, errors };
  return { summary: PROBLEMS[code][1], value: problemDocument(new Problem(code, extra), REQUEST) };
};

const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

const headersFor = (status: number): Json => {
  if (status === 401) return headerRefs('x-request-id', 'WWW-Authenticate');
  return headerRefs(...COMMON_HEADERS, ...(status === 429 || status === 503 ? ['Retry-After'] : []));
};

/** The response of one status with one of these codes. */
const response = (codes: readonly ProblemCode[]): Json => {
  const [first = 'internal'] = codes;
  const mapping = Object.fromEntries(codes.map((code) => [code, `#/components/schemas/${nameOf(code)}`]));
  const oneOf = codes.map((code) => ref('schemas', nameOf(code)));
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code][1]}.`).join(' '),
    headers: headersFor(PROBLEMS[first][0]),
    content: {
      'application/problem+json': {
        schema:
          codes.length === 1
            ? ref('schemas', nameOf(first))
            : { oneOf, discriminator: { propertyName: 'code', mapping } },
        examples: Object.fromEntries(codes.map((code) => [code, ref('examples', nameOf(code))])),
      },
    },
  };
};

const byStatus = (call: AnyCall): [status: number, codes: ProblemCode[]][] => [
  ...Map.groupBy(refusalsOf(call), (code) => PROBLEMS[code][0]),
];

/** The error components of the document: schema and example of each code, and the error responses of each call. */
export const errorComponents = (calls: readonly AnyCall[], schemas: Schemas) => {
  const used = [...new Set(calls.flatMap((call) => refusalsOf(call)))];
  /** Codes that are the only one of their status in some call. Their response is a shared component. */
  const alone = new Set(
    calls.flatMap((call) => byStatus(call).flatMap(([, codes]) => (codes.length === 1 ? codes : []))),
  );
  const of = <T>(make: (code: ProblemCode) => T) => Object.fromEntries(used.map((code) => [nameOf(code), make(code)]));
  return {
    schemas: { Problem: BASE, FieldProblem: FIELD_PROBLEM, ...of((code) => schemaOf(code, schemas)) },
    examples: of((code) => exampleFor(code, schemas)),
    responses: Object.fromEntries([...alone].map((code) => [nameOf(code), response([code])])),
    /** The error responses of a call by status, each with its possible codes. */
    responsesOf: (call: AnyCall): Json =>
      Object.fromEntries(
        byStatus(call).map(([status, codes]) => [
          status,
          codes.length === 1 ? ref('responses', nameOf(codes[0] ?? 'internal')) : response(codes),
        ]),
      ),
  };
};
