import {
  type AnyCall,
  LISTED_ERRORS,
  Problem,
  PROBLEM_MEMBERS,
  type ProblemCode,
  problemDocument,
  PROBLEMS,
  refusalsOf,
} from '@teaching/contracts';
import { z } from 'zod';
import { COMMON, headerRefs } from './bodies.ts';
import { exampleOf, type Json, pascal } from './json-schema.ts';
import type { Schemas } from './schemas.ts';

const REQUEST = '01a1fa71-52b3-72d4-8d7e-2c1f5d3c9a10';
/** What members of problems mean; a member of the same name elsewhere may be another thing. */
const MEANINGS: Readonly<Record<string, string>> = {
  from: 'State it is in',
  to: 'State it was to have',
  conflicts: 'The first lessons that stand in the way, each with what clashes',
  conflicts_total: 'How many there are, where not all are listed',
  blockers: 'What keeps the class from being completed',
  students: 'Who has too few hours, with balance and need',
  lesson_ids: 'The lessons it is about',
  room: 'The room',
  capacity: 'How many people fit in it',
  free_seats: 'Places that are free',
  taken: 'Places that are taken',
  used_by: 'What uses it, by kind, with how often',
  claimed_by: 'Who is marking it, by user id',
  claim_expires_at: 'Until when their claim holds',
  submission_ids: 'The submissions it is about',
  missing: 'Stored, but not in the list that was sent',
  unknown: 'In the list that was sent, but not stored',
  local_date: 'The local day it is about',
  today: "Today's local day in the zone of the plan",
};

const FIELD_PROBLEM = {
  type: 'object',
  required: ['path', 'message'],
  properties: {
    path: { type: 'string', description: 'Where: a JSON Pointer (RFC 6901) under `/body`, `/query` or `/path`' },
    message: { type: 'string', description: 'What is wrong there, for people' },
  },
};

const BASE: Json = {
  type: 'object',
  description: 'A refusal (RFC 9457). Programs go by `code`',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: '`urn:problem:` and the code' },
    title: { type: 'string', description: 'What every problem of this code is, for people' },
    status: { type: 'integer', description: 'HTTP status of the answer' },
    detail: { type: 'string', description: 'What is the matter this time, for people' },
    code: { type: 'string', description: 'Stable name of the problem' },
    request_id: { type: 'string', format: 'uuid', description: 'The request; also in `x-request-id`' },
    errors: {
      type: 'array',
      maxItems: LISTED_ERRORS,
      items: { $ref: '#/components/schemas/FieldProblem' },
      description: 'All that is wrong with the request, by place',
    },
    errors_total: { type: 'integer', description: 'How many there are, where not all are listed' },
  },
};

const nameOf = (code: ProblemCode): string => `${pascal(code)}Problem`;
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
          status: { const: status, type: 'integer', description: 'HTTP status of the answer' },
          code: { const: code, type: 'string', description: 'Stable name of the problem' },
          ...Object.fromEntries(members),
        },
      },
    ],
  };
};

const exampleFor = (code: ProblemCode, schemas: Schemas): Json => {
  const members = exampleOf(schemas.whole(z.object(membersOf(code)), 'output')) as Json;
  const errors = code === 'invalid_request' ? [{ path: '/body/title', message: 'is required' }] : undefined;
  const extra = errors === undefined ? { members } : { members, errors };
  return { summary: PROBLEMS[code][1], value: problemDocument(new Problem(code, extra), REQUEST) };
};

const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

const headersFor = (status: number): Json => {
  if (status === 401) return headerRefs('x-request-id', 'WWW-Authenticate');
  return headerRefs(...COMMON, ...(status === 429 || status === 503 ? ['Retry-After'] : []));
};

/** The answer of one status with one of these codes. */
const response = (codes: readonly ProblemCode[]): Json => {
  const [first = 'internal'] = codes;
  const mapping = Object.fromEntries(codes.map((code) => [code, `#/components/schemas/${nameOf(code)}`]));
  const oneOf = codes.map((code) => ref('schemas', nameOf(code)));
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code][1]}`).join('; '),
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

/** What the document says of refusals: a record for each code, and the answers of each call by status. */
export const refusals = (calls: readonly AnyCall[], schemas: Schemas) => {
  const used = [...new Set(calls.flatMap((call) => refusalsOf(call)))];
  /** Codes that are the only one of their status somewhere: that answer stands once. */
  const alone = new Set(
    calls.flatMap((call) => byStatus(call).flatMap(([, codes]) => (codes.length === 1 ? codes : []))),
  );
  const of = <T>(make: (code: ProblemCode) => T) => Object.fromEntries(used.map((code) => [nameOf(code), make(code)]));
  return {
    schemas: { Problem: BASE, FieldProblem: FIELD_PROBLEM, ...of((code) => schemaOf(code, schemas)) },
    examples: of((code) => exampleFor(code, schemas)),
    responses: Object.fromEntries([...alone].map((code) => [nameOf(code), response([code])])),
    /** Refusals of a call by status, each with the codes that may come. */
    answersOf: (call: AnyCall): Json =>
      Object.fromEntries(
        byStatus(call).map(([status, codes]) => [
          status,
          codes.length === 1 ? ref('responses', nameOf(codes[0] ?? 'internal')) : response(codes),
        ]),
      ),
  };
};
