import { randomUUID } from 'node:crypto';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { auditCalls, meCalls, memberCalls, type Role, type RevokedPerson } from '@teaching/contracts';
import { createSigner } from 'fast-jwt';
import { AUDIENCE, ISSUER } from '@teaching/local/keys.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { type Api, createApi } from '../../../tools/proofs/test/api.ts';
import { codeOf } from '../../../tools/proofs/test/expect-answers.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { brokerSubjects } from '../../../libs/kit/src/index.ts';
import type { RunningGateway } from '../src/main.ts';
import { startGateway } from './gateway.ts';
import { replyToCall } from '../../../tools/proofs/test/reply-to-call.ts';
import { requestHead, openRawConnection, firstStatus } from './raw-http.ts';

const REFUSED = '401 unauthenticated';

describe('A person who left', () => {
  let fixture: Fixture;
  let second: RunningGateway;
  beforeAll(async () => {
    fixture = await startFixture({ services: ['clazz'] });
    second = await startGateway(fixture);
  });
  afterAll(async () => {
    await second?.stop();
    await fixture?.stop();
  });

  const boss = () => fixture.as({ role: 'SUPERVISOR' });
  const gateways = () => [fixture.address, second.address];
  /** The caller with this token, at each gateway. */
  const withToken = (token: string): Api[] => gateways().map((address) => createApi(address, `Bearer ${token}`));
  const at = (sub: string, role: Role = 'STUDENT', org?: string) => withToken(fixture.token({ role, sub, org }));
  const me = async (api: Api): Promise<string> => codeOf(await api.get('/me'));
  const saidTo = async (api: Api | undefined): Promise<string> => (await api?.refused(meCalls.getMe))?.detail ?? '';
  const all = (people: readonly Api[]) => Promise.all(people.map(me));
  const put = (user_id: string, role: Role) =>
    boss().ok(memberCalls.putMembers, { body: { members: [{ user_id, role, display_name: user_id }] } });
  const leave = (user_id: string) =>
    boss().ok(memberCalls.deactivateMember, { path: { user_id }, body: { reason: 'left' } });
  const back = (user_id: string) => boss().ok(memberCalls.activateMember, { path: { user_id } });
  const are = (people: readonly Api[], code: string) =>
    expect.poll(() => all(people), POLL_OPTIONS).toEqual(people.map(() => code));

  it('is refused with all tokens at all gateways for every role, and accepted again after the return', async () => {
    const roles = ['TEACHER', 'STUDENT', 'GUARDIAN'] as const;
    const who = roles.map((role) => [`left-${role}`, role] as const);
    for (const [sub, role] of who) await put(sub, role);
    const people = who.flatMap(([sub, role]) => [...at(sub, role), ...at(sub, role)]);
    const others = who.flatMap(([sub, role]) => [...at(sub, role, randomUUID()), ...at('somebody', role)]);
    await are(people, '200');
    for (const [sub] of who) await leave(sub);
    await are(people, REFUSED);
    const anew = who.flatMap(([sub, role]) => at(sub, role));
    expect(new Set(await all(anew))).toEqual(new Set([REFUSED]));
    expect(await saidTo(anew[0])).toMatch(/inactive/);
    expect(new Set(await all(others))).toEqual(new Set(['200']));
    for (const [sub] of who) await back(sub);
    await are(people, '200');
  });

  it('is refused from one moment on, also with requests in progress', async () => {
    await put('busy', 'TEACHER');
    const over = new AbortController();
    const asking = at('busy', 'TEACHER').map(async (api) => {
      const codes: string[] = [];
      while (!over.signal.aborted) codes.push(...(await Promise.all(Array.from({ length: 4 }, () => me(api)))));
      return codes;
    });
    await leave('busy');
    await are(at('busy', 'TEACHER'), REFUSED);
    over.abort();
    for (const codes of await Promise.all(asking)) {
      expect(new Set(codes)).toEqual(new Set(['200', REFUSED].filter((code) => codes.includes(code))));
      const first = codes.indexOf(REFUSED);
      // Requests sent at the same time are answered in parallel.
      if (first >= 0) expect(new Set(codes.slice(first + 4))).not.toContain('200');
    }
  });

  it('is refused on the first request by a gateway that starts later', async () => {
    await put('early', 'STUDENT');
    await leave('early');
    const third = await startGateway(fixture);
    try {
      const token = fixture.token({ role: 'STUDENT', sub: 'early' });
      expect(await me(createApi(third.address, `Bearer ${token}`))).toBe(REFUSED);
    } finally {
      await third.stop();
    }
  });

  it('or was signed out is refused with earlier tokens and accepted with newer ones', async () => {
    const issued = (iat: number): Api[] => {
      const { privatePem: key, keyId: kid } = fixture.keys;
      const signer = createSigner({ algorithm: 'ES256', key, kid, iss: ISSUER, aud: AUDIENCE });
      return withToken(signer({ sub: 'sam', org_id: fixture.org, roles: ['STUDENT'], iat, exp: iat + 600 }));
    };
    const { signed_out_at } = await boss().ok(memberCalls.signOutMember, { path: { user_id: 'sam' } });
    const second_of = Math.floor(Date.parse(signed_out_at) / 1_000);
    const [older, same, newer] = [issued(second_of - 60), issued(second_of), issued(second_of + 1)];
    await are([...older, ...same], REFUSED);
    expect(await all(newer)).toEqual(['200', '200']);
    expect(await saidTo(same[0])).toMatch(/signed out/);
    // The same id in another organization is another person.
    expect(await all(at('sam', 'STUDENT', randomUUID()))).toEqual(['200', '200']);
  });
});

describe('A gateway', () => {
  let fixture: Fixture;
  let clazz: NatsConnection;
  let revoked: RevokedPerson[] | undefined;
  beforeAll(async () => {
    fixture = await startFixture({ services: ['package'], revocations: () => revoked });
    clazz = await connect({ servers: fixture.nats.url, user: 'clazz', pass: inject('stack').secrets.nats.clazz });
  });
  afterAll(async () => {
    await clazz?.close();
    await fixture?.stop();
  });

  const teacher = () => fixture.as({ role: 'TEACHER', sub: 'tom' });
  const ask = async (): Promise<string> => codeOf(await teacher().get('/clazz/course-package/list/org'));
  const shutOut = (user_id: string): RevokedPerson => ({
    org_id: fixture.org,
    user_id,
    inactive: true,
    signed_out_at: null,
  });
  const health = async (address = fixture.address) => {
    const answer = await fetch(`${address}/health/ready`);
    return [answer.status, await answer.json()];
  };
  const isHeard = (code: string) => expect.poll(ask, POLL_OPTIONS).toBe(code);

  it('is not ready and refuses every token before it has the list of revoked people', async () => {
    expect(await health()).toMatchObject([503, { checks: { shut_out: 'down', package: 'ok' } }]);
    expect(await ask()).toBe('503 unavailable');
    revoked = [];
    await isHeard('200');
    expect(await health()).toMatchObject([503, { checks: { shut_out: 'ok', clazz: 'down' } }]);
  });

  describe('with the list', () => {
    beforeEach(async () => {
      revoked = [];
      await isHeard('200');
    });

    it('uses the last list while the class service does not answer', async () => {
      const [other] = [fixture.as({ role: 'TEACHER', sub: 'tina' })];
      const theirs = async () => codeOf(await other.get('/clazz/course-package/list/org'));
      revoked = [shutOut('tina')];
      await expect.poll(theirs, POLL_OPTIONS).toBe(REFUSED);
      revoked = undefined;
      const silent = () => fixture.logged().filter(({ msg }) => msg.includes('the list of revoked people')).length;
      const before = silent();
      await expect.poll(silent, POLL_OPTIONS).toBeGreaterThan(before);
      expect([await ask(), await theirs()]).toEqual(['200', REFUSED]);
    });

    it('ends a running export of a revoked person', async () => {
      const pages = clazz.subscribe(brokerSubjects.call('clazz', 'gateway', auditCalls.listAuditEntries.endpoint), {
        callback: (_error, message) =>
          void setTimeout(() => replyToCall(message, { status: 200, type: 'text/csv', next: 'more' }, 'line\n'), 20),
      });
      await clazz.flush();
      const authorization = `Bearer ${fixture.token({ role: 'SUPERVISOR', sub: 'tom' })}`;
      const answer = await fetch(`${fixture.address}/api/v1/clazz/audit-log`, {
        headers: { authorization, accept: 'text/csv', 'accept-encoding': 'identity' },
      });
      expect(answer.status).toBe(200);
      const lines = answer.body?.getReader();
      for (let n = 0; n < 3; n += 1) expect((await lines?.read())?.done).toBe(false);
      revoked = [shutOut('tom')];
      const toTheEnd = async (): Promise<void> => {
        while ((await lines?.read())?.done === false);
      };
      // The connection breaks, so that no client takes the file for complete.
      await expect(toTheEnd()).rejects.toThrow('terminated');
      expect(await ask()).toBe(REFUSED);
      pages.unsubscribe();
    });

    const body = JSON.stringify({ title: 'late' });
    /** Sends a write without its body. */
    const beginWrite = async (...headers: string[]) => {
      const line = await openRawConnection(fixture.address);
      const authorization = `authorization: Bearer ${fixture.token({ role: 'TEACHER', sub: 'tom' })}`;
      const about = ['content-type: application/json', `content-length: ${body.length}`];
      line.socket.write(requestHead('POST /api/v1/clazz/course-package', authorization, ...about, ...headers));
      return line;
    };

    it('refuses a revoked person before the body arrives', async () => {
      revoked = [shutOut('tom')];
      await isHeard(REFUSED);
      const line = await beginWrite();
      expect(await firstStatus(line)).toBe(401);
      line.socket.destroy();
    });

    it('refuses a request when its sender is revoked before the body arrives', async () => {
      const line = await beginWrite('expect: 100-continue');
      expect(await firstStatus(line)).toBe(100);
      revoked = [shutOut('tom')];
      await isHeard(REFUSED);
      line.socket.write(body);
      await expect.poll(line.text, POLL_OPTIONS).toMatch(/HTTP\/1.1 401 /);
      line.socket.destroy();
      expect(await fixture.sql('select 1 from package.course_package')).toEqual([]);
    });
  });
});
