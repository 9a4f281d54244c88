import { allCalls } from '@teaching/contracts';
import { expect, it } from 'vitest';
import { exampleOf } from './example.ts';
import { openApiDocument } from './openapi.ts';

interface Content {
  content?: Record<string, { schema: unknown; example?: unknown }>;
}
interface Operation {
  parameters?: { name: string; schema: Record<string, unknown> }[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

const routes = allCalls.flatMap((call) => (call.http === null ? [] : [{ call, ...call.http }]));
const document = openApiDocument(allCalls);
const operations = routes.map(({ call, method, path }) => {
  const paths = document['paths'] as Record<string, Record<string, Operation>>;
  return { call, operation: paths[path]?.[method.toLowerCase()] };
});

it('declares what may be sent wrong, where anything is sent', () => {
  for (const { call, operation } of operations) {
    const refused = ['413', '415'].filter((status) => operation?.responses[status] !== undefined);
    expect(refused, call.id).toEqual(call.http?.method === 'GET' ? [] : ['413', '415']);
  }
});

it('shows valid examples of nearly every body and answer', () => {
  const bodies = operations.flatMap(({ call, operation }) => {
    const request = operation?.requestBody?.content?.['application/json'];
    const answer = operation?.responses[call.status]?.content?.['application/json'];
    return [request, answer].flatMap((shown) => (shown === undefined ? [] : [{ id: call.id, shown }]));
  });
  const without = bodies.filter(({ shown }) => shown.example === undefined).map(({ id }) => id);
  expect(without.length / bodies.length, without.join(', ')).toBeLessThan(0.1);
});

it('tells which numbers are taken in a path or a query', () => {
  const numbers = (method: string, path: string) => {
    const { parameters = [] } =
      operations.find(({ call }) => call.http?.path === path && call.http.method === method)?.operation ?? {};
    return Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  };
  const BASE = '/api/v1/clazz/course-package';
  const version = { type: 'integer', minimum: 1, maximum: 1_000_000 };
  expect(numbers('GET', `${BASE}/version/diff/{id}`)).toMatchObject({ from: version, to: version });
  expect(numbers('GET', `${BASE}/version/{id}/{number}`)).toMatchObject({ number: version });
  const limit = { type: 'integer', minimum: 1, maximum: 100 };
  expect(numbers('GET', `${BASE}/list/my`)).toMatchObject({ limit });
  for (const { call, operation } of operations) {
    const texts = (operation?.parameters ?? []).filter(({ schema }) =>
      String(schema['pattern']).includes(String.raw`\d{1,9}`),
    );
    expect(texts, call.id).toEqual([]);
  }
});

it('shows a filter that takes several values as a list of them, by commas', () => {
  const { operation } = operations.find(({ call }) => call.id === 'clazz.clazz.list') ?? {};
  expect(operation?.parameters?.find(({ name }) => name === 'status')).toMatchObject({
    schema: { type: 'array', items: { enum: ['draft', 'active', 'completed', 'cancelled'] } },
    style: 'form',
    explode: false,
  });
});

it('tells with which status a second check-in on a day is answered', () => {
  const { operation } = operations.find(({ call }) => call.id === 'course.daka.put') ?? {};
  const [first, second] = [operation?.responses['201'], operation?.responses['200']];
  expect(second?.content).toEqual(first?.content);
});

it('shows examples that the contract accepts', () => {
  for (const { call, operation } of operations) {
    const request = operation?.requestBody?.content?.['application/json'];
    if (request?.example !== undefined) expect(call.body.safeParse(request.example).success, call.id).toBe(true);
  }
});

it('makes an example of each kind of field', () => {
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'string', format: 'uuid' },
      hours: { type: 'string', pattern: '^-?\\d{1,9}(\\.\\d{1,2})?$' },
      starts_on: { type: 'string', format: 'date' },
      kind: { enum: ['gift', 'paid'] },
      note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      limits: { type: 'array', items: { type: 'integer', minimum: 5 } },
    },
  };
  expect(exampleOf(schema)).toEqual({
    id: '01a1fa71-52b3-72d4-8d7e-2c1f5d3c9a10',
    hours: '1.50',
    starts_on: '2026-09-07',
    kind: 'gift',
    note: 'note',
    limits: [5],
  });
});
