import { packageCalls, problemDocument, Problem } from '../../../libs/contracts/src/index.ts';
import { expect, expectTypeOf, it } from 'vitest';
import { createLogger } from '../../../libs/kit/src/index.ts';
import { callsOn } from './calls.ts';
import type { Send } from './http.ts';

const REQUEST = '01900000-0000-7000-8000-00000000000a';
const ITEM = {
  id: REQUEST,
  package_id: REQUEST,
  course_id: REQUEST,
  course_section_id: null,
  title: 'a',
  hours: '1.00',
  position: 0,
  note: null,
};
const PAGE = { items: [ITEM], next_cursor: null };
const path = { package_id: REQUEST };

/** A client whose requests all get this answer. */
const clientWithAnswer = (status: number, body: unknown, type = 'application/json') => {
  const requests: unknown[] = [];
  const send: Send = async (...parameters) => {
    requests.push(parameters);
    const [method, path, sent] = parameters;
    const request = { method, path: path.slice(1), body: sent };
    return { request, status, headers: new Headers({ 'content-type': type, 'x-request-id': REQUEST }), body };
  };
  return { ...callsOn(send), send, seen: requests };
};
const refusedWith = (problem: Problem) =>
  clientWithAnswer(problem.status, problemDocument(problem, REQUEST), 'application/problem+json');
const errorOf = async (call: Promise<unknown>): Promise<Error> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Error) return error;
  throw new Error('the call returned no error');
};

it('sends path, query and body as the route of the contract declares', async () => {
  const api = clientWithAnswer(200, PAGE);
  await api
    .refused(packageCalls.getPackageVersion, { path: { id: 'a b', number: 1 }, query: { x: 1, y: undefined } })
    .catch(() => {});
  await api.ok(packageCalls.listPackageItems, { path }, { 'x-a': 'b' });
  await api.refused(packageCalls.createPackage, { body: { title: 7 } }).catch(() => {});
  expect(api.seen).toEqual([
    ['GET', '//api/v1/clazz/course-package/version/a%20b/1?x=1', undefined, {}],
    ['GET', `//api/v1/clazz/course-package/item/list/${REQUEST}`, undefined, { 'x-a': 'b' }],
    ['POST', '//api/v1/clazz/course-package', '{"title":7}', { 'content-type': 'application/json' }],
  ]);
});

it('types requests and bodies by the contract', async () => {
  const api = clientWithAnswer(200, PAGE);
  const page = await api.ok(packageCalls.listPackageItems, { path });
  expectTypeOf(page.items[0]?.hours).toEqualTypeOf<string | undefined>();
  await api.ok(packageCalls.listMyPackages).catch(() => {});
  await api.ok(packageCalls.listMyPackages, { query: { keyword: 'a' } }).catch(() => {});
  // @ts-expect-error -- the path is required
  await api.ok(packageCalls.listPackageItems, {}).catch(() => {});
  // @ts-expect-error -- a title must be a string
  await api.ok(packageCalls.createPackage, { body: { title: 7 } }).catch(() => {});
});

it('throws an error with the request, the answer, the log lines of the services and the line of the test', async () => {
  createLogger('package', 'warn').error(
    { request_id: REQUEST, call: 'x', err: new Error('no such table') },
    'call failed',
  );
  createLogger('package', 'warn').error({ request_id: 'another' }, 'another request');
  const error = await errorOf(
    refusedWith(new Problem('internal')).ok(packageCalls.createPackage, { body: { title: 'T' } }),
  );
  expect(error.message).toContain(
    'POST /api/v1/clazz/course-package returned 500; an internal error is never expected',
  );
  expect(error.message).toContain('sent: {"title":"T"}');
  expect(error.message).toContain('"code":"internal"');
  expect(error.message).toContain('package error: call failed {"call":"x"}');
  expect(error.message).toContain('Error: no such table');
  expect(error.message).not.toContain('another request');
  expect(/^ +at .*/m.exec(error.stack?.slice(error.message.length) ?? '')?.[0]).toContain('calls.test.ts');
});

it('accepts a success only with the declared status and body', async () => {
  const body = { package_id: REQUEST, items: [] };
  const synced = { items: [], created: 0, updated: 0, deleted: 0, unchanged: 0 };
  expect((await errorOf(clientWithAnswer(201, synced).ok(packageCalls.syncPackageItems, { body }))).message).toContain(
    'expected 200',
  );
  expect((await clientWithAnswer(201, synced).answer(packageCalls.syncPackageItems, { body })).status).toBe(201);
  const less = clientWithAnswer(200, { items: [ITEM] }).ok(packageCalls.listPackageItems, { path });
  expect((await errorOf(less)).message).toContain('differs from the contract');
  const more = clientWithAnswer(200, { ...PAGE, secret: 1 }).ok(packageCalls.listPackageItems, { path });
  expect((await errorOf(more)).message).toContain('more than the contract declares');
  expect(await clientWithAnswer(204, '').ok(packageCalls.deletePackage, { path: { id: REQUEST } })).toBeNull();
});

it('retries unavailable and timeout in calls that must succeed, but no other refusal', async () => {
  const send = (problems: Problem[]): { send: Send; left: Problem[] } => {
    const left = [...problems];
    const answer: Send = (...request) => {
      const problem = left.shift();
      const api = problem === undefined ? clientWithAnswer(200, PAGE) : refusedWith(problem);
      return api.send(...request);
    };
    return { send: answer, left };
  };
  const busy = [new Problem('unavailable'), new Problem('timeout')];
  expect(await callsOn(send(busy).send).ok(packageCalls.listPackageItems, { path })).toEqual(PAGE);
  expect((await callsOn(send(busy).send).answer(packageCalls.listPackageItems, { path })).status).toBe(200);
  expect((await callsOn(send(busy).send).refused(packageCalls.listPackageItems, { path })).code).toBe('unavailable');
  expect((await callsOn(send(busy).send).outcome(packageCalls.listPackageItems, { path })).code).toBe('unavailable');
  const refused = send([new Problem('not_found'), new Problem('not_found')]);
  expect((await errorOf(callsOn(refused.send).ok(packageCalls.listPackageItems, { path }))).message).toContain(
    'returned 404',
  );
  expect(refused.left).toHaveLength(1);
});

it('accepts a refusal only as the problem document of its code', async () => {
  const wrong = { path: { id: 7 } };
  const problem = new Problem('invalid_request', {
    errors: [{ path: '/path/id', message: 'no' }],
    members: { taken: 1 },
  });
  const refusal = await refusedWith(problem).refused(packageCalls.getPackage, wrong);
  expect([refusal.status, refusal.code, refusal.errors[0]?.path, refusal.taken]).toEqual([
    400,
    'invalid_request',
    '/path/id',
    1,
  ]);
  const failureOf = async (api: ReturnType<typeof clientWithAnswer>) =>
    (await errorOf(api.refused(packageCalls.getPackage, wrong))).message;
  expect(await failureOf(clientWithAnswer(200, PAGE))).toMatch(/differs from the contract/);
  expect(await failureOf(clientWithAnswer(404, 'Not found', 'text/plain'))).toMatch(/document, not text\/plain/);
  const document = problemDocument(new Problem('not_found'), REQUEST);
  expect(await failureOf(clientWithAnswer(403, document, 'application/problem+json'))).toMatch(
    /contains another status/,
  );
  const full = problemDocument(new Problem('clazz_full'), REQUEST);
  expect(await failureOf(clientWithAnswer(409, full, 'application/problem+json'))).toMatch(
    /does not declare the refusal clazz_full/,
  );
  const more = problemDocument(new Problem('not_found', { members: { secret: 1 } }), REQUEST);
  expect(await failureOf(clientWithAnswer(404, more, 'application/problem+json'))).toMatch(
    /Unrecognized key: .*secret/,
  );
  const odd = { ...document, code: 'odd' };
  expect(await failureOf(clientWithAnswer(404, odd, 'application/problem+json'))).toMatch(
    /not a code of the contracts/,
  );
});

it('returns either outcome of a race', async () => {
  const published = await refusedWith(new Problem('package_published')).outcome(packageCalls.publishPackage, {
    path: { id: REQUEST },
  });
  expect(published.code).toBe('package_published');
  const listed = await clientWithAnswer(200, PAGE).outcome(packageCalls.listPackageItems, { path });
  expect(listed.code === 'done' && listed.body.items).toEqual([ITEM]);
});
