import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loginKeysIn } from '@teaching/local/login-keys.ts';
import { startLoginProvider } from '@teaching/local/login-provider.ts';
import { freePort } from '@teaching/local/ports.ts';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const CONSOLE = 'http://127.0.0.1:18999';
const ORG = '01900000-0000-7000-8000-0000000000aa';
const BACK = `${CONSOLE}/auth/callback`;

let folder = '';
let issuer = '';
let stop = async (): Promise<void> => undefined;
let start = async (): Promise<void> => undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'teaching-login-'));
  const port = await freePort();
  issuer = `http://127.0.0.1:${port}`;
  start = async () => {
    const keys = loginKeysIn(folder);
    const client = { id: 'console', secret: keys.client, console_url: CONSOLE };
    stop = await startLoginProvider({ issuer, host: '127.0.0.1', port, client, org_id: ORG, keys });
  };
  await start();
});
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

const discovered = (): Promise<openid.Configuration> =>
  openid.discovery(new URL(issuer), 'console', undefined, openid.ClientSecretBasic(loginKeysIn(folder).client), {
    execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
  });

/** A minimal browser: it stores cookies and does not follow redirects by itself. */
const browser = () => {
  const cookies = new Map<string, string>();
  return async (address: string, init: RequestInit = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(new URL(address, issuer), { ...init, headers: { cookie }, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return {
      status: answer.status,
      headers: answer.headers,
      body: await answer.text(),
      to: answer.headers.get('location'),
    };
  };
};
type Browser = ReturnType<typeof browser>;

const begun = async (configuration: openid.Configuration, more: Record<string, string> = {}) => {
  const verifier = openid.randomPKCECodeVerifier();
  const checks = {
    expectedState: openid.randomState(),
    expectedNonce: openid.randomNonce(),
    pkceCodeVerifier: verifier,
  };
  const address = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: BACK,
    scope: 'openid',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  }).href;
  return { checks, address };
};

/** The final URL after a person is chosen on the page. */
const choose = async (visit: Browser, page: string, user_id: string): Promise<string> => {
  const chosen = await visit(page, { method: 'POST', body: new URLSearchParams({ user_id }) });
  expect(chosen.status).toBe(303);
  return (await visit(chosen.to ?? '')).to ?? '';
};

const logIn = async (visit: Browser, user_id: string) => {
  const configuration = await discovered();
  const { checks, address } = await begun(configuration);
  const page = (await visit(address)).to ?? '';
  const back = await choose(visit, page, user_id);
  return { configuration, tokens: await openid.authorizationCodeGrant(configuration, new URL(back), checks) };
};

describe('The login provider of the local runner', () => {
  it('lists the people of the school by role and activity on a page without scripts', async () => {
    const visit = browser();
    const { address } = await begun(await discovered());
    const { status, headers, body } = await visit((await visit(address)).to ?? '');
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`form-action 'self' ${CONSOLE}`);
    expect(policy).not.toContain('unsafe');
    expect(body).not.toContain('<script');
    expect([...body.matchAll(/<h2[^>]*>([^<]+)/g)].map(([, title]) => title)).toEqual([
      'Office',
      'Teachers',
      'Guardians',
      'Students',
    ]);
    expect(body).toContain(
      '<strong>Carmen Vega 卡门</strong><span>teaches Spanish A1 intensive and Spanish B1 conversation',
    );
    expect(body).toMatch(/An Lin 林安<\/strong><span>\d+ years, child of Wei Lin 林伟 · Chinese for children/);
    expect(body.match(/<button /g)).toHaveLength(2 + 7 + 21 + 60);
    expect((await visit('/login.css')).headers.get('content-type')).toContain('text/css');
  });

  it('revokes the tokens that the console returns, and prints nothing to the terminal', async () => {
    const said = vi.spyOn(console, 'info');
    const { configuration, tokens } = await logIn(browser(), 'li-wang');
    await openid.tokenRevocation(configuration, tokens.refresh_token ?? '');
    await expect(openid.refreshTokenGrant(configuration, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect(said).not.toHaveBeenCalled();
    said.mockRestore();
  });

  it('returns the chosen person with organization and role, and a session that can be renewed', async () => {
    const { configuration, tokens } = await logIn(browser(), 'li-wang');
    expect(tokens.claims()).toMatchObject({ sub: 'li-wang', org_id: ORG, roles: ['TEACHER'], name: 'Li Wang 王丽' });
    expect(tokens.expires_in).toBe(3_600);
    const renewed = await openid.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
    expect(renewed.claims()).toMatchObject({ sub: 'li-wang', org_id: ORG, roles: ['TEACHER'] });
  });

  it('logs out without a question, and asks for the person again', async () => {
    const visit = browser();
    const { configuration, tokens } = await logIn(visit, 'wei-lin');
    const again = await begun(configuration);
    expect((await visit(again.address)).to).toContain(`${BACK}?code=`);
    const end = openid.buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: `${CONSOLE}/`,
      id_token_hint: tokens.id_token ?? '',
    });
    expect(await visit(end.href)).toMatchObject({ status: 303, to: `${CONSOLE}/` });
    expect((await visit((await begun(configuration)).address)).to).toMatch(/^(http:\/\/[^/]+)?\/interaction\//);
  });

  it('redirects only to the console', async () => {
    const visit = browser();
    const { address } = await begun(await discovered(), { redirect_uri: 'https://elsewhere.example/auth/callback' });
    expect(await visit(address)).toMatchObject({ status: 400, to: null });
    const end = `${issuer}/session/end?client_id=console&post_logout_redirect_uri=https://elsewhere.example/`;
    expect(await visit(end)).toMatchObject({ status: 400, to: null });
  });

  it('refuses people outside the school and logins without a code challenge', async () => {
    const visit = browser();
    const configuration = await discovered();
    const page = (await visit((await begun(configuration)).address)).to ?? '';
    const body = new URLSearchParams({ user_id: 'somebody' });
    expect(await visit(page, { method: 'POST', body })).toMatchObject({ status: 400, to: null });
    const plain = openid.buildAuthorizationUrl(configuration, { redirect_uri: BACK, scope: 'openid', state: 's' });
    expect((await visit(plain.href)).to).toContain('error=invalid_request');
  });

  it('shows a page when a login was started too long ago', async () => {
    expect(await browser()('/interaction/unknown')).toMatchObject({
      status: 400,
      body: expect.stringContaining('begun too long ago'),
    });
  });

  it('signs with the same key after a restart', async () => {
    const keysOf = async (): Promise<string> => (await fetch(`${issuer}/jwks`)).text();
    const before = await keysOf();
    await stop();
    await start();
    // A connection from before the restart may be closed.
    await expect.poll(() => keysOf().catch(() => '')).toBe(before);
  });
});
