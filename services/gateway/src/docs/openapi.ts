import { type AnyCall, LISTED_ERRORS, type ProblemCode, PROBLEMS, SEVERAL, WHOLE_NUMBERS } from '@teaching/contracts';
import { z } from 'zod';
import { exampleOf } from './example.ts';

type Json = Record<string, unknown>;

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _left_out, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => {
      const { item } = SEVERAL.get(zodSchema) ?? {};
      if (item instanceof z.ZodType) Object.assign(jsonSchema, { type: 'array', items: schemaOf(item, io) });
      const range = WHOLE_NUMBERS.get(zodSchema);
      if (range === undefined) return;
      delete jsonSchema.pattern;
      Object.assign(jsonSchema, { type: 'integer', ...range });
    },
  });
  return rest;
};

const isList = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'array';

const parameters = (schema: z.ZodObject, place: 'path' | 'query'): Json[] => {
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, value]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: value,
    // Several values by commas.
    ...(isList(value) ? { style: 'form', explode: false } : {}),
  }));
};

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

const headersOf = (call: AnyCall): Json[] => [
  ...(call.writes ? [header('Idempotency-Key', 'Repeating a request with the same key has no second effect')] : []),
  ...(call.errors.includes('version_mismatch') ? [header('If-Match', 'The ETag the change is based on')] : []),
];

const problem = { $ref: '#/components/schemas/Problem' };

/** Refusals grouped by status, each with the codes that may come. */
const refusals = (call: AnyCall): Json => {
  const common: ProblemCode[] = ['invalid_request', 'not_found', 'rate_limited', 'internal', 'unavailable', 'timeout'];
  const auth: ProblemCode[] = call.who === 'anyone' ? [] : ['unauthenticated', 'forbidden'];
  const sent: ProblemCode[] = call.http?.method === 'GET' ? [] : ['payload_too_large', 'unsupported_media_type'];
  const writes: ProblemCode[] = call.writes ? ['idempotency_mismatch', 'idempotency_in_flight', 'outcome_unknown'] : [];
  const codes = [...new Set<ProblemCode>([...common, ...auth, ...sent, ...writes, ...call.errors])];
  return Object.fromEntries(
    [...Map.groupBy(codes, (code) => PROBLEMS[code][0])].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${PROBLEMS[code][1]}`).join('; '),
        content: { 'application/problem+json': { schema: problem } },
      },
    ]),
  );
};

/** A schema with an example, if the one made for it is valid: a wrong example is worse than none. */
const withExample = (type: z.ZodType, io: 'input' | 'output'): Json => {
  const schema = schemaOf(type, io);
  const example = exampleOf(schema);
  return type.safeParse(example).success ? { schema, example } : { schema };
};

const success = (call: AnyCall): Json => {
  if (call.status === 204) return { description: 'Done' };
  const content: Json = { 'application/json': withExample(call.output, 'output') };
  if (call.also !== null) content[call.also] = { schema: { type: 'string' } };
  return { description: 'OK', content };
};

/** What a create answers that found the thing there already. */
const repeated = (call: AnyCall): Json =>
  call.again === null ? {} : { [call.again]: { ...success(call), description: 'Was there already, and is changed' } };

const operation = (call: AnyCall): Json => {
  const body = schemaOf(call.body, 'input');
  const hasBody =
    call.http?.method !== 'GET' &&
    call.http?.method !== 'DELETE' &&
    Object.keys((body['properties'] as Json | undefined) ?? {}).length > 0;
  return {
    operationId: call.id.replaceAll('.', '_'),
    tags: [call.id.split('.').slice(0, 2).join('.')],
    summary: call.summary,
    description: `Who: ${Array.isArray(call.who) ? call.who.join(', ') : 'anyone'}${
      call.audited ? '. A safe read; it leaves an entry on the audit trail.' : ''
    }`,
    ...(call.who === 'anyone' ? { security: [] } : {}),
    parameters: [...parameters(call.path, 'path'), ...parameters(call.query, 'query'), ...headersOf(call)],
    ...(hasBody
      ? { requestBody: { required: true, content: { 'application/json': withExample(call.body, 'input') } } }
      : {}),
    responses: { [call.status]: success(call), ...repeated(call), ...refusals(call) },
  };
};

const PROBLEM_SCHEMA = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(PROBLEMS) },
    request_id: { type: 'string', format: 'uuid' },
    errors: {
      type: 'array',
      maxItems: LISTED_ERRORS,
      items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
    },
    errors_total: { type: 'integer', description: 'How many there are, where not all are listed' },
  },
};

/** The OpenAPI 3.1 document of all calls that have a route. */
export const openApiDocument = (calls: readonly AnyCall[]): Json => {
  const paths: Record<string, Json> = {};
  for (const call of calls) {
    if (call.http === null) continue;
    (paths[call.http.path] ??= {})[call.http.method.toLowerCase()] = operation(call);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Teaching API',
      version: '1',
      description:
        'Class and course management. v1 only grows: new optional fields and new routes. Everything else would be v2; what goes away is announced by the Deprecation and Sunset headers and here.',
    },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Problem: PROBLEM_SCHEMA },
    },
  };
};
