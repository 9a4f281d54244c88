import { randomUUID } from 'node:crypto';
import { type AnyCall, allCalls, type Role, ROLES } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

const routes = allCalls.flatMap((call) => (call.http === null ? [] : [{ call, ...call.http }]));
const closed = routes.filter(({ call }) => call.who !== 'anyone');
const urlOf = (path: string): string =>
  path
    .replace('/api/v1', '')
    .replaceAll(/\{(\w+)\}/g, (_all, name: string) => (name === 'number' ? '1' : randomUUID()));
const isAllowed = (call: AnyCall, role: Role): boolean => Array.isArray(call.who) && call.who.includes(role);

/** Every route of the contracts, whoever adds it: tried without a token, with each role, from another org. */
describe('every route', () => {
  it('exists once', () => {
    const shapes = routes.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([]);
  });

  it('answers 401 without a token', async () => {
    const answers = await Promise.all(
      closed.map(async ({ method, path }) => [
        `${method} ${path}`,
        (await fixture.raw().send(method, urlOf(path), undefined)).status,
      ]),
    );
    expect(answers.filter(([, status]) => status !== 401)).toEqual([]);
  });

  it.each(ROLES)('answers 403 to a %s exactly where the contract does not name the role', async (role) => {
    const api = fixture.as({ role });
    const answers = await Promise.all(
      closed.map(async ({ call, method, path }) => {
        const { status, body } = await api.send(method, urlOf(path), undefined);
        const refused = status === 403;
        return { route: `${method} ${path}`, status, body, wrong: isAllowed(call, role) ? status >= 500 : !refused };
      }),
    );
    expect(answers.filter((answer) => answer.wrong)).toEqual([]);
  });

  it('with an id that does not exist answers 404, 400 for its input or an empty page, never more', async () => {
    const api = fixture.as({ role: [...ROLES], org: randomUUID() });
    const reads = closed.filter(({ method, path }) => method === 'GET' && path.includes('{'));
    const answers = await Promise.all(
      reads.map(async ({ method, path }) => ({
        route: `${method} ${path}`,
        ...(await api.send(method, urlOf(path), undefined)),
      })),
    );
    const wrong = answers.filter(({ status, body }) => {
      if (status === 404 || status === 400) return false;
      // People need not be known, so their own pages are empty instead.
      return status !== 200 || (Array.isArray(body.items) && body.items.length > 0);
    });
    expect(wrong).toEqual([]);
  });

  it('stands in the OpenAPI document', async () => {
    const { body } = await fixture.raw().get('//openapi.json');
    const missing = routes.filter(({ method, path }) => body.paths[path]?.[method.toLowerCase()] === undefined);
    expect(missing).toEqual([]);
  });
});
