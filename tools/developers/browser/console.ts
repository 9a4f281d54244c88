import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Env } from '../../../libs/kit/src/index.ts';
import type { Fixture, Person } from '../../proofs/test/fixture.ts';
import { logInAs } from './log-in-as.ts';
import { settled } from './wait-settled.ts';
import type { Stage } from './browser-test.ts';

/** The settings of a gateway that serves the console. Most tests do not log in. */
export const WITH_CONSOLE: Env = {
  CONSOLE_URL: 'http://127.0.0.1',
  OIDC_ISSUER: 'http://127.0.0.1:9',
  OIDC_CLIENT_ID: 'console',
  OIDC_CLIENT_SECRET: 'a secret that nobody asks for',
};

export interface Visit extends BrowserContextOptions {
  /** The path to open; by default the person's start page. */
  path?: string;
}

/** Opens the console for a person of an organization, on a device of their own, and waits for the requested screen. */
export const openConsole = async (
  { open }: Stage,
  { address, token }: Pick<Fixture, 'address' | 'token'>,
  person: Person,
  { path = '/', ...options }: Visit = {},
): Promise<Page> => {
  const page = await open(options);
  await logInAs(page, token(person));
  // A navigation to a 404 without a body ends as an error page, or as a failure of `goto`: that depends on the browser's version.
  let status: number | undefined;
  page.on('response', (response) => {
    if (response.request().isNavigationRequest()) status = response.status();
  });
  await page.goto(`${address}${path}`).catch((error: unknown) => {
    if (status !== 404) throw error;
  });
  if (status === 404) throw new Error('no console is served: `startFixture` takes `env: WITH_CONSOLE`');
  await settled(page);
  return page;
};
