import type { Page } from 'playwright-core';

/**
 * Has a page go on as the person of a token, in whichever organization: the token stands for the session's cookie. For stories and
 * pictures that are about something else than logging in.
 */
export const logInAs = (page: Page, token: string): Promise<void> =>
  page.context().setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
