import { randomUUID } from 'node:crypto';
import { operations } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { ApiError, type Client, type ClientOptions, createClient, isProblem, rowsOf } from '../src/index.ts';

let fixture: Fixture;
let client: Client;
beforeAll(async () => {
  fixture = await startFixture({ services: ['package', 'clazz', 'stats'] });
  client = createClient({ base_url: fixture.address, token: () => fixture.token({ role: 'TEACHER' }) });
});
afterAll(() => fixture?.stop());

it('has one method for each operation', () => {
  expect(Object.keys(client).toSorted()).toEqual(Object.keys(operations).toSorted());
  expectTypeOf<Client>().toHaveProperty('createPackage');
  expectTypeOf<Client>().not.toHaveProperty('checkReferences');
});

it('sends calls by operation id, with typed input and output', async () => {
  const created = await client.createPackage({ body: { title: 'Latin' } }, { idempotency_key: 'once' });
  expect(created.status).toBe(201);
  expect(created.consistency_token).toBeTruthy();
  const again = await client.createPackage({ body: { title: 'Latin' } }, { idempotency_key: 'once' });
  expect(again.data).toEqual(created.data);
  const listed = await client.listMyPackages({ query: { keyword: 'LAT' } });
  expect(listed.data.items.map((it) => it.title)).toEqual(['Latin']);
  const path = { id: created.data.id };
  const changed = await client.updatePackage({ path, body: { title: 'Latin I' } }, { if_match: created.etag ?? '' });
  expect(changed.data.version).toBe(2);
  expect((await client.deletePackage({ path })).data).toBeNull();
});

it('throws an ApiError with status and code for an error response', async () => {
  const { data } = await client.createPackage({ body: { title: 'Empty' } });
  const refusal = await client.publishPackage({ path: { id: data.id } }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ApiError);
  expect(refusal).toMatchObject({ status: 409, code: 'package_empty' });
});

it('types the members of a problem by its code', async () => {
  const supervisor = createClient({ base_url: fixture.address, token: fixture.token({ role: 'SUPERVISOR' }) });
  const { data } = await supervisor.createClazz({ body: { name: 'Small', lead_teacher_id: 'lee', capacity: 1 } });
  const path = { id: data.id };
  await supervisor.activateClazz({ path });
  const error: unknown = await supervisor
    .enrolStudents({ path, body: { student_ids: ['ann', 'bob'] } })
    .catch((reason: unknown) => reason);
  if (!isProblem(error, 'clazz_full')) throw error;
  expectTypeOf(error.problem.free_seats).toEqualTypeOf<number | undefined>();
  expect(error.problem.free_seats).toBe(1);
  expect([isProblem(error, 'clazz_closed'), isProblem(new Error('x'), 'clazz_full')]).toEqual([false, false]);
});

it('reads all rows of a list over several pages', async () => {
  const teacher = createClient({ base_url: fixture.address, token: fixture.token({ role: 'TEACHER', sub: 'pager' }) });
  const titles = ['A', 'B', 'C', 'D', 'E'];
  for (const title of titles) await teacher.createPackage({ body: { title } });
  const query = { sort: 'title', limit: '2' } as const;
  const seen: string[] = [];
  for await (const { title } of rowsOf((cursor) => teacher.listMyPackages({ query: { ...query, cursor } })))
    seen.push(title);
  expect(seen).toEqual(titles);
});

describe('Statistics after a write', () => {
  const supervisor = (more: object = {}): { client: Client; tokens: (string | null)[] } => {
    const tokens: (string | null)[] = [];
    const send: typeof fetch = (url, init) => {
      tokens.push(new Headers(init?.headers).get('x-consistency-token'));
      return fetch(url, init);
    };
    const token = fixture.token({ role: 'SUPERVISOR' });
    return { client: createClient({ base_url: fixture.address, token, fetch: send, ...more }), tokens };
  };
  const made = { body: { name: 'Counted', lead_teacher_id: 'lee' } };

  it('wait for the write by default', async () => {
    const { client: own, tokens } = supervisor();
    await own.getOrganizationStats({});
    const { data, consistency_token } = await own.createClazz(made);
    await own.activateClazz({ path: { id: data.id } });
    const { consistency_token: last } = await own.updateClazz({ path: { id: data.id }, body: { name: 'Seen' } });
    expect((await own.getOrganizationStats({})).data.included).toBe(true);
    expect(tokens).toEqual([null, null, null, null, last]);
    await own.getOrganizationStats({}, { consistency_token: consistency_token ?? '' });
    expect(tokens.at(-1)).toBe(consistency_token);
  });

  it('do not wait with carry_consistency: false', async () => {
    const { client: own, tokens } = supervisor({ carry_consistency: false });
    await own.createClazz(made);
    await own.getOrganizationStats({});
    expect(tokens).toEqual([null, null]);
  });
});

describe('A write', () => {
  const titles = async () =>
    (await fixture.sql<{ title: string }>("select title from package.course_package where title like 'Greek%'")).map(
      ({ title }) => title,
    );
  /** A client that sends requests and calls `afterwards` after each attempt. */
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

  it('whose response is lost is stored once and gets the first response', async () => {
    const seen: (string | null)[] = [];
    const forgetful = clientThat(async (tries, response) => {
      seen.push(response.headers.get('x-consistency-token'));
      if (tries === 1) throw new TypeError('the answer is lost');
    });
    const { status, consistency_token } = await forgetful.createPackage({ body: { title: 'Greek' } });
    expect(status).toBe(201);
    // It is the response of the first attempt.
    expect(seen).toEqual([consistency_token, consistency_token]);
    expect(await titles()).toEqual(['Greek']);
  });

  it('to an unavailable service is stored when the service starts', async () => {
    const statuses: number[] = [];
    const patient = clientThat(async (tries, { status }) => {
      statuses.push(status);
      if (tries === 1) await fixture.startService('course');
    });
    const { status } = await patient.createCourse({ body: { title: 'Greek' } });
    expect([statuses[0], status]).toEqual([503, 201]);
    expect(await fixture.sql("select 1 from course.course where title = 'Greek'")).toHaveLength(1);
  });
});

describe('The stream of changes', () => {
  const supervisorOfNewOrg = (fetching: Partial<ClientOptions> = {}) => {
    const org = randomUUID();
    const token = fixture.token({ role: 'SUPERVISOR', org });
    return createClient({ base_url: fixture.address, token, ...fetching });
  };
  const open = async (client: Client): Promise<string> => {
    const { data } = await client.createClazz({ body: { name: 'Changed', lead_teacher_id: 'lee' } });
    return data.id;
  };

  it('sends changes as they happen, until the caller aborts', async () => {
    const client = supervisorOfNewOrg();
    const stop = new AbortController();
    const received: string[] = [];
    for await (const notice of client.streamChanges({ signal: stop.signal })) {
      if (notice.type === 'open') received.push(await open(client));
      else if (notice.type === 'change') {
        received.push(...notice.change.ids);
        stop.abort();
      }
    }
    expect(received).toEqual([received[0], received[0]]);
  });

  it('continues after a broken connection with the changes since then', async () => {
    const lines: AbortController[] = [];
    const refused: number[] = [];
    /** Each stream can be cut. The first attempt after a cut gets 503. */
    const send: typeof fetch = async (url, init) => {
      const headers = new Headers(init?.headers);
      if (headers.get('accept') !== 'text/event-stream') return fetch(url, init);
      if (lines.length === 1 && refused.length === 0) return refuse(503);
      const line = new AbortController();
      lines.push(line);
      return fetch(url, { ...init, signal: AbortSignal.any([line.signal, ...(init?.signal ? [init.signal] : [])]) });
    };
    const refuse = (status: number): Response => {
      refused.push(status);
      return new Response('{}', { status });
    };
    const client = supervisorOfNewOrg({ fetch: send });
    const made: string[] = [];
    const seen: string[] = [];
    for await (const notice of client.streamChanges()) {
      if (notice.type === 'open') made.push(await open(client));
      else if (notice.type === 'change') seen.push(...notice.change.ids);
      else seen.push(notice.type);
      if (seen.length === 1 && lines.length === 1) {
        lines[0]?.abort();
        made.push(await open(client));
      }
      if (seen.length >= 2) break;
    }
    expect(seen).toEqual(made);
    expect([lines.length, refused]).toEqual([2, [503]]);
  });

  it('throws an ApiError without a valid token', async () => {
    const client = createClient({ base_url: fixture.address, token: 'none' });
    const first = client.streamChanges().next();
    await expect(first).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
  });
});
