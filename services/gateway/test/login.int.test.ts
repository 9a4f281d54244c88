import { setTimeout as pause } from 'node:timers/promises';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memberCalls, packageCalls, type Role } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApi } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { fixedValue } from '@teaching/kit';
import { createCookieSealer } from '../src/session/cookies.ts';
import { createBrowser, type TestBrowser } from './browser.ts';
import { type RunningGateway } from '../src/main.ts';
import { startGateway } from './gateway.ts';
import { CLIENT_ID, startProvider, type TestProvider } from '@teaching/local/provider-for-tests.ts';

const Problem = z.object({ code: z.string() });
const ORIGIN = 'https://school.example';
const SESSION = '__Host-teaching-session';
const RENEWAL = '__Host-teaching-renewal';
const LOGIN = '__Host-teaching-login';
const ME = '/api/v1/me';
const PACKAGE = '/api/v1/clazz/course-package';
const REFUSED = '401 unauthenticated';

let fixture: Fixture;
let provider: TestProvider;
let gateway: RunningGateway;
let folder: string;
const signing = (...secrets: string[]): void =>
  writeFileSync(join(folder, 'signing'), secrets.join(','), { mode: 0o600 });
const FIRST = 'the first secret of this test and long enough';
const NEXT = 'another secret of this test and long enough';

const loginEnv = () => ({
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: CLIENT_ID,
  OIDC_CLIENT_SECRET: provider.secret,
  CONSOLE_URL: ORIGIN,
});
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'teaching-login-'));
  signing(FIRST);
  [fixture, provider] = await Promise.all([startFixture({ services: ['clazz', 'package'] }), startProvider(ORIGIN)]);
  const secrets = { SIGNING_SECRET: '', SIGNING_SECRET_FILE: join(folder, 'signing') };
  gateway = await startGateway(fixture, { ...loginEnv(), ...secrets }, { consoleRoot: folder });
});
afterAll(async () => {
  await gateway?.stop();
  await Promise.all([fixture?.stop(), provider?.stop()]);
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  provider.lasts_s = 600;
});

const isNext = (sub: string, roles: readonly string[] = ['TEACHER'], more: object = {}): void => {
  provider.person = { sub, claims: { org_id: fixture.org, roles, ...more } };
};
const browser = (): TestBrowser => createBrowser(gateway.address, ORIGIN);
/** A browser with a logged-in person. */
const loggedIn = async (sub: string, role: Role = 'TEACHER'): Promise<TestBrowser> => {
  isNext(sub, [role]);
  const page = browser();
  expect(await page.open('/auth/login?return_to=/today')).toBe('/today');
  return page;
};
const cookieOf = (page: TestBrowser, name: string) => {
  const cookie = page.cookies.get(name);
  if (cookie === undefined) throw new Error(`there is no cookie ${name}`);
  return cookie;
};
const at = (page: TestBrowser, path: string, init?: RequestInit) => page.ask(path, init).then(codeOf);
const posted = (page: TestBrowser, path: string) => page.post(path).then(codeOf);
const codeOf = async (answer: Response): Promise<string> => {
  const text = await answer.text();
  const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json') === true;
  return isProblem ? `${answer.status} ${Problem.parse(JSON.parse(text)).code}` : String(answer.status);
};
const body = (title: string) => ({ body: JSON.stringify({ title }), headers: { 'content-type': 'application/json' } });

describe('A login', () => {
  it('leads to the provider and back to the requested page, and the cookie then identifies the person', async () => {
    isNext('ada', ['TEACHER', 'WIZARD']);
    const page = browser();
    expect(await at(page, ME)).toBe(REFUSED);
    expect(await page.open('/auth/login?return_to=%2Ftimetable%3Fweek%3D3')).toBe('/timetable?week=3');
    const session = await page.ask('/auth/session');
    expect(session.headers.get('cache-control')).toBe('no-store');
    const told = (await session.json()) as { expires_at: string };
    expect(told).toEqual({ user_id: 'ada', org_id: fixture.org, roles: ['TEACHER'], expires_at: expect.any(String) });
    const left_s = (Date.parse(told.expires_at) - Date.now()) / 1_000;
    expect(left_s).toBeGreaterThan(500);
    expect(left_s).toBeLessThanOrEqual(600);
    expect(await (await page.ask(ME)).json()).toMatchObject({
      user_id: 'ada',
      org_id: fixture.org,
      roles: ['TEACHER'],
    });
  });

  it('restarts once under the host name of CONSOLE_URL', async () => {
    const asked = async (host: string, path: string): Promise<string | undefined> => {
      const [answer] = (await once(get(`${gateway.address}${path}`, { headers: { host } }), 'response')) as [
        IncomingMessage,
      ];
      answer.resume();
      return answer.headers.location;
    };
    const named = `${ORIGIN}/auth/login?return_to=%2Ftoday&named=yes`;
    expect(await asked('localhost:1', '/auth/login?return_to=/today')).toBe(named);
    expect(await asked('localhost:1', named.slice(ORIGIN.length))).toContain(provider.issuer);
    expect(await asked(new URL(ORIGIN).host, '/auth/login')).toContain(provider.issuer);
  });

  it('sets encrypted cookies that scripts cannot read and other sites cannot send', async () => {
    const page = await loggedIn('alan');
    const kept = ({ cookies }: TestBrowser) =>
      Object.fromEntries([...cookies].map(([name, { attributes }]) => [name, attributes]));
    const host = expect.stringMatching(/^Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(kept(page)).toEqual({ [SESSION]: host, [RENEWAL]: host });
    expect(await posted(page, '/auth/refresh')).toBe('200');
    expect(kept(page)).toEqual({ [SESSION]: host, [RENEWAL]: host });
    const begun = browser();
    await begun.ask('/auth/login?named=yes');
    expect(kept(begun)).toEqual({ [LOGIN]: host });
    for (const { value } of page.cookies.values()) expect(value).toMatch(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(page.cookies.get(SESSION)?.value.length).toBeLessThan(1_000);
  });

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/%09/evil.example/..//x',
    'today',
    '/auth/logout',
  ])('returns only to a page of the console: %s', async (path) => {
    isNext('ann');
    const end = await browser().open(`/auth/login?return_to=${encodeURIComponent(path)}`);
    expect(new URL(end, ORIGIN).origin).toBe(ORIGIN);
    expect(end).toMatch(/^\/(%09\/|x)?/);
    expect(end.startsWith('//') || end.startsWith('/auth')).toBe(false);
  });

  const claims = (more: object): void => isNext('amy', ['TEACHER'], more);
  it.each([
    ['denied', () => (provider.person = undefined)],
    ['no_access', () => claims({ org_id: undefined })],
    ['no_access', () => claims({ org_id: 'ours' })],
    ['no_access', () => isNext('amy', ['WIZARD'])],
    ['no_access', () => claims({ roles: undefined })],
    ['failed', () => claims({ roles: 'TEACHER' })],
    ['failed', () => isNext('two words')],
    ['failed', () => isNext('..')],
  ])('that fails shows the reason on the login page: %s', async (problem, arrange) => {
    arrange();
    const page = browser();
    expect(await page.open('/auth/login?return_to=/today')).toBe(`/login?problem=${problem}`);
    expect([...page.cookies.keys()]).toEqual([]);
  });

  it('is refused in another browser, a second time, or without its cookie', async () => {
    isNext('bob');
    const [mine, theirs] = [browser(), browser()];
    const begin = async (page: TestBrowser): Promise<string> =>
      (await page.ask('/auth/login?named=yes')).headers.get('location') ?? '';
    const stateOf = (address: string): string => new URL(address).searchParams.get('state') ?? '';
    const state = stateOf(await begin(mine));
    await begin(theirs);
    const landed = async (page: TestBrowser, query: string): Promise<string | null> =>
      (await page.ask(`/auth/callback?${query}`)).headers.get('location');
    expect(await landed(theirs, `code=x&state=${state}`)).toBe('/login?problem=expired');
    expect(await landed(browser(), `code=x&state=${state}`)).toBe('/login?problem=expired');
    expect(await landed(mine, `code=x&state=${state}`)).toBe('/login?problem=failed');
    expect(await landed(mine, `code=x&state=${state}`)).toBe('/login?problem=expired');
    expect([...mine.cookies.keys()]).toEqual([]);
  });

  it('uses PKCE, state, nonce and the configured scopes', async () => {
    const { headers } = await browser().ask('/auth/login?named=yes');
    const { origin, searchParams } = new URL(headers.get('location') ?? '');
    expect(origin).toBe(provider.issuer);
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      client_id: CLIENT_ID,
      redirect_uri: `${ORIGIN}/auth/callback`,
      scope: 'openid',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('A session', () => {
  it('allows reads, and writes only from pages of the console', async () => {
    const page = await loggedIn('carl');
    const write = (title: string, headers: Record<string, string>) =>
      at(page, PACKAGE, { method: 'POST', ...body(title), headers: { ...body(title).headers, ...headers } });
    expect(await write('none', {})).toBe('403 forbidden');
    for (const origin of [
      'https://evil.example',
      'null',
      `${ORIGIN}.evil.example`,
      'http://school.example',
      gateway.address,
    ])
      expect(await write('foreign', { origin })).toBe('403 forbidden');
    expect(await at(page, '/auth/logout', { method: 'POST' })).toBe('403 forbidden');
    expect(await at(page, '/auth/refresh', { method: 'POST' })).toBe('403 forbidden');
    expect(await write('ours', { origin: ORIGIN })).toBe('201');
    const titles = await fixture.sql<{ title: string }>(
      "select title from package.course_package where teacher_id = 'carl'",
    );
    expect(titles).toEqual([{ title: 'ours' }]);
    // A bearer token is never sent by the browser itself, so it needs no `Origin`.
    const bearer = createApi(gateway.address, `Bearer ${fixture.token({ role: 'TEACHER', sub: 'carl' })}`);
    await bearer.ok(packageCalls.createPackage, { body: { title: 'by token' } });
  });

  it('has the rights of its roles and the limits of its person', async () => {
    const page = await loggedIn('cleo', 'STUDENT');
    expect(await posted(page, PACKAGE)).toBe('403 forbidden');
    const left = async (ask: Promise<Response>): Promise<number> =>
      Number(/"user";r=(\d+)/.exec((await ask).headers.get('ratelimit') ?? '')?.[1]);
    const authorization = `Bearer ${fixture.token({ role: 'STUDENT', sub: 'cleo' })}`;
    const first = await left(page.ask(ME));
    const second = await left(page.ask(ME));
    const third = await left(fetch(`${gateway.address}${ME}`, { headers: { authorization } }));
    expect(first - second).toBeGreaterThan(0);
    expect(second - third).toBe(first - second);
  });

  it('is ignored in a request with a token', async () => {
    const page = await loggedIn('curt');
    expect(await at(page, ME, { headers: { authorization: 'Bearer x' } })).toBe(REFUSED);
    const authorization = `Bearer ${fixture.token({ role: 'STUDENT', sub: 'other' })}`;
    expect(await (await page.ask(ME, { headers: { authorization } })).json()).toMatchObject({ user_id: 'other' });
    expect(await at(page, '/auth/session', { headers: { authorization } })).toBe(REFUSED);
  });

  it('is refused when its cookie is changed, of another kind, or foreign', async () => {
    const page = await loggedIn('dora');
    const kept = page.cookies.get(SESSION);
    const renewal = page.cookies.get(RENEWAL)?.value ?? '';
    const { value = '' } = kept ?? {};
    const with_ = async (text: string): Promise<string> => {
      page.cookies.set(SESSION, { value: text, path: '/', attributes: '' });
      return at(page, ME);
    };
    const at_ = value.length - 30;
    const touched = value.slice(0, at_) + (value[at_] === 'A' ? 'B' : 'A') + value.slice(at_ + 1);
    for (const text of [
      touched,
      renewal,
      value.slice(0, -1),
      `${value}A`,
      'x',
      '..',
      fixture.token({ role: 'TEACHER' }),
    ])
      expect(await with_(text)).toBe(REFUSED);
    const unsealed = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    expect(await with_(`${unsealed}....`)).toBe(REFUSED);
    expect(await with_(value)).toBe('200');
  });

  it('stays valid during a change of secrets while its own secret is listed', async () => {
    const page = await loggedIn('emil');
    const renewal = page.cookies.get(RENEWAL);
    const is = (code: string) => expect.poll(() => at(page, ME), POLL_OPTIONS).toBe(code);
    try {
      signing(NEXT, FIRST);
      await pause(1_100);
      await is('200');
      const anew = await loggedIn('emma');
      signing(NEXT);
      await is(REFUSED);
      expect(await at(anew, ME)).toBe('200');
      expect(renewal).toBeDefined();
      expect(await posted(page, '/auth/refresh')).toBe(REFUSED);
    } finally {
      signing(NEXT, FIRST);
      await pause(1_100);
    }
  });

  it("ends with the provider's token and can be renewed", async () => {
    provider.lasts_s = 1;
    const page = await loggedIn('fay');
    await expect.poll(() => at(page, ME), POLL_OPTIONS).toBe(REFUSED);
    expect((await (await page.ask(ME)).json()) as object).toMatchObject({ detail: 'The session has expired' });
    expect(await at(page, '/auth/session')).toBe(REFUSED);
    provider.lasts_s = 600;
    const answer = await page.post('/auth/refresh');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ user_id: 'fay', roles: ['TEACHER'] });
    expect(await at(page, ME)).toBe('200');
    expect(await posted(page, '/auth/refresh')).toBe('200');
  });

  it('keeps the time of the login after every renewal', async () => {
    const page = await loggedIn('fred');
    const beginning = async (): Promise<unknown> =>
      await createCookieSealer(fixedValue([NEXT, FIRST])).open('session', page.cookies.get(SESSION)?.value ?? '');
    const before = await beginning();
    expect(before).toMatchObject({ sub: 'fred', iat: expect.any(Number) });
    const first = page.cookies.get(SESSION)?.value;
    expect(await posted(page, '/auth/refresh')).toBe('200');
    expect(page.cookies.get(SESSION)?.value).not.toBe(first);
    expect(await beginning()).toMatchObject({ iat: z.object({ iat: z.number() }).parse(before).iat });
  });

  it('is renewed once for concurrent requests of several windows', async () => {
    const page = await loggedIn('finn');
    const before = provider.asked();
    const kept = new Map(page.cookies);
    const windows = Array.from({ length: 3 }, () => {
      const one = browser();
      for (const [name, cookie] of kept) one.cookies.set(name, cookie);
      return one;
    });
    expect(await Promise.all(windows.map((one) => posted(one, '/auth/refresh')))).toEqual(['200', '200', '200']);
    expect(provider.asked() - before).toBe(1);
    for (const one of windows) expect(await posted(one, '/auth/refresh')).toBe('200');
  });

  it('adopts changed roles, and ends when the provider returns another person', async () => {
    const page = await loggedIn('gail');
    isNext('gail', ['STUDENT']);
    const claims = provider.person?.claims ?? {};
    provider.tell('gail', claims);
    expect(await (await page.post('/auth/refresh')).json()).toMatchObject({ roles: ['STUDENT'] });
    provider.tell('gail', { ...claims, org_id: '01900000-0000-7000-8000-00000000dead' });
    expect(await posted(page, '/auth/refresh')).toBe(REFUSED);
    expect([...page.cookies.keys()]).toEqual([]);
  });

  it('ends, with its cookies, when the provider ended it', async () => {
    const page = await loggedIn('hugo');
    provider.forgetAll();
    expect(await posted(page, '/auth/refresh')).toBe(REFUSED);
    expect([...page.cookies.keys()]).toEqual([]);
    expect(await posted(page, '/auth/refresh')).toBe(REFUSED);
  });

  it('ends at log-out, also at the provider', async () => {
    const page = await loggedIn('ines');
    const [kept, renewal] = [cookieOf(page, SESSION), cookieOf(page, RENEWAL)];
    const answer = await page.post('/auth/logout');
    const { go_to } = (await answer.json()) as { go_to: string };
    expect(go_to.startsWith(`${provider.issuer}/`)).toBe(true);
    const asked = new URL(go_to).searchParams;
    expect([asked.get('post_logout_redirect_uri'), asked.has('id_token_hint')]).toEqual([`${ORIGIN}/`, true]);
    expect([...page.cookies.keys()]).toEqual([]);
    expect(await at(page, ME)).toBe(REFUSED);
    // A copy of both cookies cannot be renewed either.
    page.cookies.set(SESSION, kept).set(RENEWAL, renewal);
    expect(await posted(page, '/auth/refresh')).toBe(REFUSED);
    expect(await (await page.post('/auth/logout')).json()).toEqual({ go_to: '/' });
  });
});

describe('A renewal cookie planted by another host', () => {
  const OTHER_ORG = '01900000-0000-7000-8000-00000000beef';
  const userOf = async (page: TestBrowser): Promise<unknown> => (await page.ask(ME)).json();
  const mallory = () => loggedIn('mallory');
  const samePersonElsewhere = async (): Promise<TestBrowser> => {
    isNext('vera', ['TEACHER'], { org_id: OTHER_ORG });
    const page = browser();
    await page.open('/auth/login');
    return page;
  };
  const samePersonAgain = () => loggedIn('vera');

  it.each([
    ['another person', mallory],
    ['another organization', samePersonElsewhere],
    ['another login', samePersonAgain],
  ])('is refused for a session of %s, which does not change', async (_whose, attack) => {
    const victim = await loggedIn('vera');
    const attacker = await attack();
    victim.cookies.set(RENEWAL, cookieOf(attacker, RENEWAL));
    const before = new Map(victim.cookies);
    const asked = provider.asked();
    expect(await posted(victim, '/auth/refresh')).toBe(REFUSED);
    expect([provider.asked(), victim.cookies]).toEqual([asked, before]);
    expect(await userOf(victim)).toMatchObject({ user_id: 'vera', org_id: fixture.org });
    expect(await posted(attacker, '/auth/refresh')).toBe('200');
  });

  it('is refused after the token of the session has expired', async () => {
    provider.lasts_s = 1;
    const victim = await loggedIn('viola');
    await expect.poll(() => at(victim, ME), POLL_OPTIONS).toBe(REFUSED);
    const own = cookieOf(victim, RENEWAL);
    provider.lasts_s = 600;
    victim.cookies.set(RENEWAL, cookieOf(await mallory(), RENEWAL));
    expect(await posted(victim, '/auth/refresh')).toBe(REFUSED);
    expect(await at(victim, ME)).toBe(REFUSED);
    victim.cookies.set(RENEWAL, own);
    expect(await posted(victim, '/auth/refresh')).toBe('200');
    expect(await userOf(victim)).toMatchObject({ user_id: 'viola' });
  });

  it('creates no session for a browser without one', async () => {
    const attacker = await mallory();
    const victim = browser();
    victim.cookies.set(RENEWAL, cookieOf(attacker, RENEWAL));
    const asked = provider.asked();
    expect(await at(victim, ME)).toBe(REFUSED);
    expect(await posted(victim, '/auth/refresh')).toBe(REFUSED);
    expect([provider.asked(), [...victim.cookies.keys()]]).toEqual([asked, []]);
    expect(await at(victim, ME)).toBe(REFUSED);
  });

  it('is not revoked by a log-out of the session', async () => {
    const [victim, attacker] = [await loggedIn('vito'), await mallory()];
    victim.cookies.set(RENEWAL, cookieOf(attacker, RENEWAL));
    expect(await (await victim.post('/auth/logout')).json()).toEqual({ go_to: '/' });
    expect([...victim.cookies.keys()]).toEqual([]);
    expect(await posted(attacker, '/auth/refresh')).toBe('200');
  });

  it('is not read under a name that other hosts can set', async () => {
    const victim = await loggedIn('vida');
    const own = cookieOf(victim, RENEWAL);
    const planted = cookieOf(await mallory(), RENEWAL);
    victim.cookies.delete(RENEWAL);
    // Chromium accepts a name with a Unicode space before the prefix from other hosts.
    const spaced = Buffer.from(`\u2000${RENEWAL}`).toString('latin1');
    for (const name of ['__Secure-teaching-renewal', 'teaching-renewal', RENEWAL.toLowerCase(), spaced])
      victim.cookies.set(name, planted);
    expect(await posted(victim, '/auth/refresh')).toBe(REFUSED);
    victim.cookies.set(RENEWAL, own);
    expect(await (await victim.post('/auth/refresh')).json()).toMatchObject({ user_id: 'vida' });
  });
});

describe('Guessing at login routes', () => {
  it.each([
    ['invalid cookies', ME, `${SESSION}=x`, '401 unauthenticated'],
    ['a renewal without a session', '/auth/refresh', `${RENEWAL}=x`, '401 unauthenticated'],
    ['logins that no browser started', '/auth/callback?code=x&state=y', '', '302'],
  ])('is limited by the failure limit of the address: %s', async (_what, path, cookie, code) => {
    const one = await startGateway(fixture, { ...loginEnv(), FAILURE_LIMIT: '3', HOLD_BACK_MS: '0' });
    try {
      const init = { method: path === '/auth/refresh' ? 'POST' : 'GET', redirect: 'manual' } as const;
      const codes: string[] = [];
      for (let n = 0; n < 5; n += 1)
        codes.push(await codeOf(await fetch(one.address + path, { ...init, headers: { cookie, origin: ORIGIN } })));
      expect(codes).toEqual([code, code, code, '429 rate_limited', '429 rate_limited']);
    } finally {
      await one.stop();
    }
  });
});

describe('A revoked person', () => {
  const boss = () => fixture.as({ role: 'SUPERVISOR' });
  const put = (user_id: string) =>
    boss().ok(memberCalls.putMembers, { body: { members: [{ user_id, role: 'TEACHER', display_name: user_id }] } });

  it('loses the session and its renewal at sign-out, and can log in again', async () => {
    await put('jack');
    const page = await loggedIn('jack');
    const renewal = page.cookies.get(RENEWAL);
    await boss().ok(memberCalls.signOutMember, { path: { user_id: 'jack' } });
    await expect.poll(() => at(page, ME), { interval: 100 }).toBe(REFUSED);
    const before = provider.asked();
    expect(await posted(page, '/auth/refresh')).toBe(REFUSED);
    expect(provider.asked()).toBe(before);
    expect(renewal).toBeDefined();
    expect(await at(await loggedIn('jack'), ME)).toBe('200');
  });

  it('cannot log in while inactive', async () => {
    await put('kate');
    const page = await loggedIn('kate');
    await boss().ok(memberCalls.deactivateMember, { path: { user_id: 'kate' }, body: { reason: 'left' } });
    await expect.poll(() => at(page, ME), POLL_OPTIONS).toBe(REFUSED);
    expect(await posted(page, '/auth/refresh')).toBe(REFUSED);
    isNext('kate');
    expect(await browser().open('/auth/login')).toBe('/login?problem=inactive');
    await boss().ok(memberCalls.activateMember, { path: { user_id: 'kate' } });
    await expect.poll(() => browser().open('/auth/login'), POLL_OPTIONS).toBe('/');
  });
});
