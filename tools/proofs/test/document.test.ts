import { expect, it } from 'vitest';
import { readerOf } from './document.ts';
import type { Answer } from './http.ts';

const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
const read = readerOf({
  paths: {
    '/a/my': { get: { responses: { 200: { content: { 'text/csv': { schema: { type: 'string' } } } } } } },
    '/a/{id}': {
      get: {
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } },
          404: { $ref: '#/components/responses/NotFound' },
        },
      },
      delete: { responses: { 204: {} } },
    },
  },
  components: {
    responses: { NotFound: { content: problem } },
    schemas: {
      A: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
      Problem: { type: 'object', required: ['code'] },
    },
  },
});
const answer = (method: string, path: string, status: number, body: unknown, type = 'application/json'): Answer => ({
  request: { method, path, body: undefined },
  status,
  headers: new Headers({ 'content-type': type }),
  body,
});

it.each([
  [answer('GET', '/a/1', 200, { id: 1, later: true })],
  [answer('GET', '/a/1?x=/y', 404, { code: 'not_found' }, 'application/problem+json')],
  [answer('GET', '/a/my', 200, 'x;y', 'text/csv; charset=utf-8')],
  [answer('DELETE', '/a/1', 204, '')],
  [answer('PUT', '/a/1', 405, {})],
  [answer('GET', '/elsewhere', 200, {})],
])('accepts an answer that the document allows or does not describe', (given) => expect(read(given)).toBeUndefined());

it.each([
  [answer('GET', '/a/1', 200, { id: 'x' }), 'must be integer'],
  [answer('GET', '/a/1', 200, {}), "required property 'id'"],
  [answer('GET', '/a/1', 201, { id: 1 }), 'no 201 at GET /a/{id}'],
  [answer('GET', '/a/1', 200, 'x', 'text/csv'), 'no text/csv'],
  [answer('GET', '/a/my', 200, {}), 'no application/json'],
  [answer('GET', '/a/1', 404, {}, 'application/problem+json'), "required property 'code'"],
  [answer('DELETE', '/a/1', 204, {}), 'no body'],
])('reports how an answer differs from the document', (given, fault) => expect(read(given)).toContain(fault));
