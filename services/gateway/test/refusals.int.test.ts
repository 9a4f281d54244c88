import { randomUUID } from 'node:crypto';
import { courseCalls, packageCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { problemOf, type Refusal } from '../../../tools/proofs/test/problem.ts';

const PACKAGES = '/clazz/course-package';
const JSON_TYPE = { 'content-type': 'application/json' };
let fixture: Fixture;
const { teacher, student } = peopleOf(() => fixture);
beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
});
afterAll(() => fixture?.stop());

const create = (body: unknown) => teacher().refused(packageCalls.createPackage, { body });
const post = async (body: string | Uint8Array<ArrayBuffer>, headers = JSON_TYPE) =>
  problemOf(await teacher().send('POST', PACKAGES, body, headers));

describe('Requests', () => {
  const bad = (problem: Refusal, ...paths: string[]): void => {
    expect(problem.code).toBe('invalid_request');
    expect(problem.errors.map((error) => error.path).toSorted()).toEqual(paths.toSorted());
  };

  it('get all problems in one answer', async () => {
    const problem = await create({ title: 7, price_minor: -1, colour: 'red', currency: 'euro' });
    bad(problem, '/body/title', '/body/price_minor', '/body/colour', '/body/currency');
  });
  it('get the problems of path, query and body together', async () => {
    const answer = await teacher().send('PATCH', `${PACKAGES}/7?colour=red`, '{"title":7}', JSON_TYPE);
    bad(problemOf(answer), '/path/id', '/query/colour', '/body/title');
  });
  it('must have JSON bodies', async () => {
    bad(await post('{"title":'), '/body');
    bad(await post(new Uint8Array([0x22, 0xff, 0x22])), '/body');
    const form = await post('title=x', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(form.code).toBe('unsupported_media_type');
  });
  it('may have at most 1 MiB', async () => {
    expect((await create({ title: 'x', description: 'y'.repeat(2_000_000) })).code).toBe('payload_too_large');
  });
  it('may contain only text that can be stored', async () => {
    bad(await create({ title: 'a\u0000b' }), '/body/title');
    bad(await post('{"title":"\\ud800"}'), '/body/title');
    const title = '数学 😀 Ünïcode';
    expect((await teacher().ok(packageCalls.createPackage, { body: { title } })).title).toBe(title);
  });
  it('cannot set fields that the server sets', async () => {
    const body = { title: 'x', org_id: randomUUID(), published_at: null, id: randomUUID() };
    bad(await create(body), '/body/org_id', '/body/published_at', '/body/id');
    bad(await post('{"title":"x","__proto__":{"a":1}}'), '/body/__proto__');
  });
  it('must have ids that are UUIDs', async () =>
    bad(await teacher().refused(packageCalls.getPackage, { path: { id: 7 } }), '/path/id'));
  it.each([
    ['sort=drop+table', '/query/sort'],
    ['sort=', '/query/sort'],
    ['limit=0', '/query/limit'],
    ['limit=1000000', '/query/limit'],
    ['limit=ten', '/query/limit'],
    ['limit=1&limit=2', '/query/limit'],
    ['cursor=forged', '/query/cursor'],
    ['cursor=', '/query/cursor'],
    ['colour=red', '/query/colour'],
    [`keyword=${'x'.repeat(10_000)}`, '/query/keyword'],
  ])('must have a valid query: %s', async (query, path) =>
    bad(problemOf(await teacher().get(`${PACKAGES}/list/org?${query}`)), path),
  );

  it('get 404 or 405 for an unknown path or method', async () => {
    expect(problemOf(await teacher().get('/nowhere')).code).toBe('not_found');
    const other = await teacher().send('PUT', `${PACKAGES}/list/org`, undefined);
    expect([problemOf(other).code, other.headers.get('allow')]).toEqual(['method_not_allowed', 'GET, HEAD, OPTIONS']);
    const unreadable = await teacher().get('/%zz');
    expect(problemOf(unreadable)).toMatchObject({
      code: 'invalid_request',
      request_id: unreadable.headers.get('x-request-id'),
    });
  });
  it('get 405 on the open paths, and 404 with a slash at the end', async () => {
    expect((await teacher().send('DELETE', '//health/live', undefined)).status).toBe(405);
    expect((await teacher().get('/clazz/')).status).toBe(404);
  });
  it('get 413 even while they are still sending', async () => {
    const body = JSON.stringify({ title: 'x', description: 'y'.repeat(6_000_000) });
    const problems = await Promise.all(Array.from({ length: 8 }, () => post(body)));
    expect(problems.map(({ status }) => status)).toEqual(problems.map(() => 413));
  });
  it('must be UTF-8, also in the query, without content encoding', async () => {
    bad(problemOf(await teacher().get(`${PACKAGES}/list/org?keyword=%ff`)), '/query');
    expect((await teacher().get(`${PACKAGES}/list/org?keyword=100%`)).status).toBe(200);
    const odd = await post('{"title":"x"}', { 'content-type': 'application/json; charset=latin1' });
    expect(odd.code).toBe('unsupported_media_type');
  });
  it('get a detail with every refusal, which must not be cached', async () => {
    // Every result of `refused` is a problem document with its content type and a detail.
    expect((await student().refused(packageCalls.listMyPackages)).code).toBe('forbidden');
    const listed = await teacher().answer(packageCalls.listMyPackages);
    expect(listed.headers.get('cache-control')).toBe('no-store');
  });
  it('keep a request id that is a UUID; any other is replaced', async () => {
    const wrong = { path: { id: 7 } };
    const id = randomUUID();
    expect((await teacher().refused(packageCalls.getPackage, wrong, { 'x-request-id': id })).request_id).toBe(id);
    const replaced = await teacher().get(`${PACKAGES}/7`, { 'x-request-id': 'evil\tid' });
    expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(problemOf(replaced).request_id).toBe(replaced.headers.get('x-request-id'));
  });
  it('get security headers and no server name', async () => {
    const { headers } = await teacher().get('/nowhere');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    // Headers about TLS from a client change nothing.
    const behindTls = await teacher().get('/nowhere', { 'x-forwarded-proto': 'https' });
    expect(behindTls.headers.get('strict-transport-security')).toBeNull();
    expect(headers.get('server')).toBeNull();
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('A service that is not running', () => {
  it('causes 503 at once with the time to try again', async () => {
    // After a wait it would be a timeout.
    const { code, headers } = await teacher().outcome(courseCalls.listCourses);
    expect([code, headers.get('retry-after')]).toEqual(['unavailable', '1']);
  });
});

describe('Without a token', () => {
  const open = async (path: string): Promise<unknown> => (await fixture.raw().get(path)).body;

  it('health and documents are open', async () => {
    expect(await open('//health/live')).toEqual({ status: 'ok' });
    const ready = await fixture.raw().get('//health/ready');
    expect(ready.status).toBe(503);
    expect(ready.body).toMatchObject({ checks: { bus: 'ok', package: 'ok', clazz: 'down' } });
    const Document = z.object({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });
    const document = Document.parse(await open('//openapi.json'));
    expect(document.openapi).toBe('3.1.0');
    expect(document.paths['/api/v1/clazz/course-package/item/sync']).toMatchObject({
      post: { requestBody: expect.any(Object) },
    });
    expect(await open('//asyncapi.json')).toMatchObject({ asyncapi: '3.0.0' });
    expect((await fixture.raw().get('//docs/')).status).toBe(200);
  });
});
