import type { Page } from 'playwright-core';

/**
 * Makes a page act as the person of a token, in any organization: the token replaces the session cookie. For tests and pictures that
 * are not about logging in.
 */
export const logInAs = (page: Page, token: string): Promise<void> =>
  page.context().setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
