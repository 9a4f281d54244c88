import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loginKeysIn } from '@teaching/local/login-keys.ts';
import { startLoginProvider } from '@teaching/local/login-provider.ts';
import { freePort } from '@teaching/local/ports.ts';
import { fixedValue } from '@teaching/kit';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { inject } from 'vitest';
import { createCookieSealer } from '../../../services/gateway/src/session/cookies.ts';
import { Session } from '../../../services/gateway/src/session/identity.ts';
import { settled } from '../../../tools/developers/browser/wait-settled.ts';
import type { Stage } from '../../../tools/developers/browser/browser-test.ts';
import { type Fixture, type FixtureOptions, startFixture } from '../../../tools/proofs/test/fixture.ts';

export interface School {
  fixture: Fixture;
  stop: () => Promise<void>;
}

/** Starts a system with a log-in provider, at which the people of the demo school log in. */
export const startSchool = async (options: Pick<FixtureOptions, 'services'> = {}): Promise<School> => {
  const folder = mkdtempSync(join(tmpdir(), 'teaching-login-'));
  const [gateway, provider] = [await freePort(), await freePort()];
  const [console_url, issuer] = [`http://127.0.0.1:${gateway}`, `http://127.0.0.1:${provider}`];
  const keys = loginKeysIn(folder);
  const fixture = await startFixture({
    ...options,
    env: {
      PORT: String(gateway),
      CONSOLE_URL: console_url,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'console',
      OIDC_CLIENT_SECRET: keys.client,
    },
  });
  const stopProvider = await startLoginProvider({
    issuer,
    host: '127.0.0.1',
    port: provider,
    client: { id: 'console', secret: keys.client, console_url },
    org_id: fixture.org,
    keys,
  });
  const stop = async (): Promise<void> => {
    await fixture.stop();
    await stopProvider();
    rmSync(folder, { recursive: true });
  };
  return { fixture, stop };
};

/** Opens a page without a session. The first request answers 401, which shows the log-in. */
export const openLoggedOut = async (
  stage: Stage,
  { address }: Fixture,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Page> => {
  stage.allow(/answered 401/);
  const page = await stage.open(options);
  await page.goto(`${address}${path}`);
  await page.getByRole('link', { name: /Log in|登录/ }).waitFor();
  return page;
};

/** Logs in from the log-in page. */
export const logIn = async (page: Page, { address }: Fixture, name: string): Promise<void> => {
  await page.getByRole('link', { name: /Log in|登录/ }).click();
  await page.getByRole('button', { name }).click();
  await page.waitForURL(`${address}/**`);
  await settled(page);
};

const SESSION = 'teaching-session';

/** Makes the session of this browser expire: the gateway answers 401 until the console has renewed it. */
export const expireSession = async (page: Page): Promise<void> => {
  const context = page.context();
  const cookie = (await context.cookies()).find(({ name }) => name === SESSION);
  if (cookie === undefined) throw new Error('the browser has no session cookie');
  const sealer = createCookieSealer(fixedValue([inject('stack').secrets.signing]));
  const session = Session.parse(await sealer.open('session', cookie.value));
  const value = await sealer.seal('session', { ...session, exp: Math.floor(Date.now() / 1_000) - 1 });
  await context.addCookies([{ ...cookie, value }]);
};

export const openAccountMenu = (page: Page): Promise<void> => page.getByTitle('Account and settings').click();

export const waitForLoggedOut = (page: Page): Promise<void> => page.getByRole('heading', { name: 'Welcome' }).waitFor();

export const logOut = async (page: Page): Promise<void> => {
  await openAccountMenu(page);
  await page.getByRole('button', { name: 'Log out' }).click();
  await waitForLoggedOut(page);
};
