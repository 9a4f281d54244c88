import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';

const PACKAGES = '/clazz/course-package';
const JSON_TYPE = { 'content-type': 'application/json' };
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
});
afterAll(() => fixture?.stop());

const teacher = () => fixture.as({ role: 'TEACHER' });
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = () => ({
  sub: 'x',
  org_id: fixture.org,
  roles: ['SUPERVISOR'],
  iss: 'https://local.teaching.invalid',
  aud: 'teaching-api',
  exp: Math.floor(Date.now() / 1000) + 60,
});

describe('tokens', () => {
  const refused = async (authorization: string | undefined): Promise<void> => {
    const answer = await fixture.raw(authorization).get(`${PACKAGES}/list/org`);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.body).toMatchObject({ status: 401, code: 'unauthenticated' });
  };

  it('are required', () => refused(undefined));
  it('are bearer tokens', () => refused('Basic eDp5'));
  it('must not be unsigned', () => refused(`Bearer ${part({ alg: 'none', typ: 'JWT' })}.${part(claims())}.`));
  it('must not be signed with the public key as a secret', async () => {
    const [head] = fixture.token({ role: 'TEACHER' }).split('.');
    const { kid } = JSON.parse(Buffer.from(head ?? '', 'base64url').toString());
    const unsigned = `${part({ alg: 'HS256', kid })}.${part(claims())}`;
    await refused(`Bearer ${unsigned}.${createHmac('sha256', 'guess').update(unsigned).digest('base64url')}`);
  });
  it('must carry an unchanged payload', async () => {
    const [head, , signature] = fixture.token({ role: 'STUDENT' }).split('.');
    await refused(`Bearer ${head}.${part(claims())}.${signature}`);
  });
  it('must not be for somebody else', () => refused(`Bearer ${fixture.token({ role: 'TEACHER', audience: 'other' })}`));
  it('must come from the issuer', () =>
    refused(`Bearer ${fixture.token({ role: 'TEACHER', issuer: 'https://evil' })}`));
  it('must not have expired', () => refused(`Bearer ${fixture.token({ role: 'TEACHER', ttlSeconds: -3600 })}`));
  it('may name an org by any UUID text', async () => {
    const org = '11111111-1111-1111-1111-111111111111';
    expect((await fixture.as({ role: 'TEACHER', org }).get(`${PACKAGES}/list/org`)).status).toBe(200);
  });
  it('must name an org', () => refused(`Bearer ${fixture.token({ role: 'TEACHER', org: 'not-a-uuid' })}`));
});

describe('requests', () => {
  const bad = async (
    answer: { status: number; body: { errors?: { path: string }[] } },
    ...paths: string[]
  ): Promise<void> => {
    expect(answer.status, JSON.stringify(answer.body)).toBe(400);
    expect(answer.body.errors?.map((error) => error.path).toSorted()).toEqual(paths.toSorted());
  };

  it('name every problem at once', async () => {
    const answer = await teacher().post(PACKAGES, { title: 7, price_minor: -1, colour: 'red', currency: 'euro' });
    await bad(answer, '/body/title', '/body/price_minor', '/body/colour', '/body/currency');
  });
  it('have JSON bodies', async () => {
    await bad(await teacher().send('POST', PACKAGES, '{"title":', JSON_TYPE), '/body');
    await bad(await teacher().send('POST', PACKAGES, new Uint8Array([0x22, 0xff, 0x22]), JSON_TYPE), '/body');
    const form = await teacher().send('POST', PACKAGES, 'title=x', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([form.status, form.body.code]).toEqual([415, 'unsupported_media_type']);
  });
  it('are at most 1 MiB', async () => {
    const answer = await teacher().post(PACKAGES, { title: 'x', description: 'y'.repeat(2_000_000) });
    expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large']);
  });
  it('hold only text that can be stored', async () => {
    await bad(await teacher().post(PACKAGES, { title: 'a\u0000b' }), '/body/title');
    await bad(await teacher().send('POST', PACKAGES, '{"title":"\\ud800"}', JSON_TYPE), '/body/title');
    expect((await teacher().post(PACKAGES, { title: '数学 😀 Ünïcode' })).body.title).toBe('数学 😀 Ünïcode');
  });
  it('cannot set what the server sets', async () => {
    const answer = await teacher().post(PACKAGES, {
      title: 'x',
      org_id: randomUUID(),
      published_at: null,
      id: randomUUID(),
    });
    await bad(answer, '/body/org_id', '/body/published_at', '/body/id');
    await bad(
      await teacher().send('POST', PACKAGES, '{"title":"x","__proto__":{"a":1}}', JSON_TYPE),
      '/body/__proto__',
    );
  });
  it('have ids that are UUIDs', async () => bad(await teacher().get(`${PACKAGES}/7`), '/path/id'));
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
  ])('have a sound query: %s', async (query, path) => bad(await teacher().get(`${PACKAGES}/list/org?${query}`), path));

  it('answer 404 or 405 for what does not exist', async () => {
    expect((await teacher().get('/nowhere')).body.code).toBe('not_found');
    const other = await teacher().send('PUT', `${PACKAGES}/list/org`, undefined);
    expect([other.status, other.body.code, other.headers.get('allow')]).toEqual([
      405,
      'method_not_allowed',
      'GET, HEAD',
    ]);
    const unreadable = await teacher().get('/%zz');
    expect(unreadable.status).toBe(400);
    expect(unreadable.headers.get('x-request-id')).toBe(unreadable.body.request_id);
  });
  it('answer 405 on the open paths and to OPTIONS, and 404 with a slash at the end', async () => {
    expect((await teacher().send('DELETE', '//health/live', undefined)).status).toBe(405);
    expect((await teacher().send('OPTIONS', `${PACKAGES}/list/org`, undefined)).status).toBe(405);
    expect((await teacher().get('/clazz/')).status).toBe(404);
  });
  it('hear 413 even when they are still sending', async () => {
    const body = JSON.stringify({ title: 'x', description: 'y'.repeat(6_000_000) });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => teacher().send('POST', PACKAGES, body, JSON_TYPE)),
    );
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 413));
  });
  it('are UTF-8 in the query too, and not encoded otherwise', async () => {
    await bad(await teacher().get(`${PACKAGES}/list/org?keyword=%ff`), '/query');
    expect((await teacher().get(`${PACKAGES}/list/org?keyword=100%`)).status).toBe(200);
    const odd = await teacher().send('POST', PACKAGES, '{"title":"x"}', {
      'content-type': 'application/json; charset=latin1',
    });
    expect(odd.status).toBe(415);
  });
  it('always hear a detail, and may not keep the answer', async () => {
    const { body, headers } = await fixture.as({ role: 'STUDENT' }).get(`${PACKAGES}/list/my`);
    expect(body).toMatchObject({ status: 403, detail: expect.any(String) });
    expect((await teacher().get(`${PACKAGES}/list/my`)).headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toContain('application/problem+json');
  });
  it('keep a request id that is a UUID and replace any other', async () => {
    const id = randomUUID();
    expect((await teacher().get(`${PACKAGES}/7`, { 'x-request-id': id })).body.request_id).toBe(id);
    const replaced = await teacher().get(`${PACKAGES}/7`, { 'x-request-id': 'evil\tid' });
    expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
  it('get security headers and no server name', async () => {
    const { headers } = await teacher().get('/nowhere');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('strict-transport-security')).toContain('max-age');
    expect(headers.get('server')).toBeNull();
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('without a token', () => {
  it('health and documents are open', async () => {
    const open = fixture.raw();
    expect((await open.get('//health/live')).body).toEqual({ status: 'ok' });
    const ready = await open.get('//health/ready');
    expect(ready.status).toBe(503);
    expect(ready.body.checks).toMatchObject({ bus: 'ok', package: 'ok', clazz: 'down' });
    const document = (await open.get('//openapi.json')).body;
    expect(document.openapi).toBe('3.1.0');
    expect(document.paths['/api/v1/clazz/course-package/item/sync'].post.requestBody).toBeDefined();
    expect((await open.get('//asyncapi.json')).body.asyncapi).toBe('3.0.0');
    expect((await open.get('//docs/')).status).toBe(200);
  });
});
