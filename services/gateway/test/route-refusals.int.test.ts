import { type AnyCall, allCalls, ALL_ROLES, type ProblemCode } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, createApi } from '../../../tools/proofs/test/api.ts';
import { againstDocument } from '../../../tools/proofs/test/document.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import type { HeaderValues } from '../../../tools/proofs/test/http.ts';
import type { RunningGateway } from '../src/main.ts';
import { startGateway } from './gateway.ts';
import { requestHead, openRawConnection, firstStatus } from './raw-http.ts';

let fixture: Fixture;
/** A gateway that accepts one request of each person. */
let strict: RunningGateway;
beforeAll(async () => {
  fixture = await startFixture({ services: [] });
  strict = await startGateway(fixture, { RATE_LIMIT: '1', ORG_RATE_LIMIT: '1000000' });
});
afterAll(async () => {
  await strict?.stop();
  await fixture?.stop();
});

const closed = allCalls.filter(({ http, roles }) => http !== null && roles !== 'anyone');
const withBody = closed.filter(({ http }) => http?.method !== 'GET');
const pathOf = (call: AnyCall): Record<string, string> =>
  Object.fromEntries(Object.keys(call.path.shape).map((name) => [name, '01900000-0000-7000-8000-00000000000a']));
/** A caller with all roles, another one for each call. */
const tokenFor = (call: AnyCall): string => fixture.token({ role: ALL_ROLES, sub: call.id });
/** Refusals with `Retry-After`. */
const LATER: readonly ProblemCode[] = ['unavailable', 'rate_limited'];
const codes = async (
  api: (call: AnyCall) => Api,
  calls: readonly AnyCall[],
  headers: HeaderValues,
  code: ProblemCode,
) => {
  const wrong: string[] = [];
  for (const call of calls) {
    const body = call.http?.method === 'GET' ? undefined : {};
    const came = await api(call).outcome(call, { path: pathOf(call), query: {}, body }, headers);
    const waits = Number(came.headers.get('retry-after')) > 0;
    if (came.code !== code || waits !== LATER.includes(code)) wrong.push(`${call.id}: ${came.code}`);
  }
  return wrong;
};

/** Refusals that never reach a service; each is in the API document of its route. */
describe('Every route refuses', () => {
  const api = (call: AnyCall): Api => createApi(fixture.address, `Bearer ${tokenFor(call)}`, againstDocument);

  it('with 503 while no service answers', async () => {
    expect(await codes(api, closed, {}, 'unavailable')).toEqual([]);
  });

  it('with 429 beyond the rate limit', async () => {
    const limited = (call: AnyCall): Api => createApi(strict.address, `Bearer ${tokenFor(call)}`, againstDocument);
    expect(await codes(limited, closed, {}, 'unavailable')).toEqual([]);
    expect(await codes(limited, closed, {}, 'rate_limited')).toEqual([]);
  });

  it('with 415 a body that is not JSON', async () => {
    expect(await codes(api, withBody, { 'content-type': 'text/plain' }, 'unsupported_media_type')).toEqual([]);
  });

  it('with 413 a body with a too large Content-Length, before it arrives', async () => {
    const wrong: string[] = [];
    for (const call of withBody) {
      const path = call.http?.path.replaceAll(/\{\w+\}/g, 'x') ?? '';
      const line = await openRawConnection(fixture.address);
      const headers = [`authorization: Bearer ${tokenFor(call)}`, 'content-type: application/json'];
      line.socket.write(requestHead(`${call.http?.method} ${path}`, ...headers, 'content-length: 2000000'));
      if ((await firstStatus(line)) !== 413) wrong.push(call.id);
      line.socket.destroy();
    }
    expect(wrong).toEqual([]);
  });
});
