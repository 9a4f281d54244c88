import { callGroups, type Calls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { ApiError, type Client, createClient } from '../src/index.ts';

let fixture: Fixture;
let client: Client;
beforeAll(async () => {
  fixture = await startFixture({ services: ['package', 'clazz'] });
  client = createClient({ base_url: fixture.address, token: () => fixture.token({ role: 'TEACHER' }) });
});
afterAll(() => fixture?.stop());

it('has a method for every call with a route, and no other', () => {
  const namesIn = (group: object): string[] => Object.keys(group).toSorted();
  const routed = (calls: Calls) => Object.fromEntries(Object.entries(calls).filter(([, { http }]) => http !== null));
  for (const [name, calls] of Object.entries<Calls>(callGroups)) {
    const methods = Object.entries(client).find(([group]) => group === name)?.[1] ?? {};
    expect(namesIn(methods), name).toEqual(namesIn(routed(calls)));
  }
});

it('calls by name, with typed input and output', async () => {
  const created = await client.package.create({ body: { title: 'Latin' } }, { idempotency_key: 'once' });
  expect(created.status).toBe(201);
  expect(created.consistency_token).toBeTruthy();
  const again = await client.package.create({ body: { title: 'Latin' } }, { idempotency_key: 'once' });
  expect(again.data).toEqual(created.data);
  const listed = await client.package.listMy({ query: { keyword: 'LAT' } });
  expect(listed.data.items.map((it) => it.title)).toEqual(['Latin']);
  const path = { id: created.data.id };
  const changed = await client.package.update({ path, body: { title: 'Latin I' } }, { if_match: created.etag ?? '' });
  expect(changed.data.version).toBe(2);
  expect((await client.package.remove({ path })).data).toBeNull();
});

it('throws the problem of a refusal', async () => {
  const { data } = await client.package.create({ body: { title: 'Empty' } });
  const refusal = await client.package.publish({ path: { id: data.id } }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ApiError);
  expect(refusal).toMatchObject({ status: 409, code: 'package_empty' });
});

describe('a write through a gateway', () => {
  const titles = async () =>
    (await fixture.sql<{ title: string }>("select title from package.course_package where title like 'Greek%'")).map(
      ({ title }) => title,
    );
  /** Sends for real, and does what a test wants after each try. */
  const clientThat = (afterwards: (tries: number, response: Response) => void | Promise<void>): Client => {
    let tries = 0;
    const send: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      tries += 1;
      await afterwards(tries, response);
      return response;
    };
    const token = () => fixture.token({ role: 'TEACHER' });
    return createClient({ base_url: fixture.address, token, fetch: send });
  };

  it('whose answer is lost is stored once, and answered', async () => {
    const seen: (string | null)[] = [];
    const forgetful = clientThat(async (tries, response) => {
      seen.push(response.headers.get('x-consistency-token'));
      if (tries === 1) throw new TypeError('the answer is lost');
    });
    const { status, consistency_token } = await forgetful.package.create({ body: { title: 'Greek' } });
    expect(status).toBe(201);
    // It is the answer of the first try.
    expect(seen).toEqual([consistency_token, consistency_token]);
    expect(await titles()).toEqual(['Greek']);
  });

  it('whose service is not there is stored once it is', async () => {
    const statuses: number[] = [];
    const patient = clientThat(async (tries, { status }) => {
      statuses.push(status);
      if (tries === 1) await fixture.startService('course');
    });
    const { status } = await patient.course.create({ body: { title: 'Greek' } });
    expect([statuses[0], status]).toEqual([503, 201]);
    expect(await fixture.sql("select 1 from course.course where title = 'Greek'")).toHaveLength(1);
  });
});
