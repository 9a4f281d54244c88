import type { BrowserContext, Request } from 'playwright-core';

/** An error of a page, in one line: its kind and place. */
export type PageError = string;

/** The console repeats them without saying which. */
const REPEATED = /^Failed to load resource/;
/** A page that is left, or code that does not want the answer any more. */
const GIVEN_UP = 'net::ERR_ABORTED';

const shortOf = (request: Request): string => `${request.method()} ${request.url()}`;

/**
 * Collects errors of a context's pages from now on: errors in the console (content security policy included), uncaught errors,
 * failed requests, and responses of 400 or more.
 */
export const watchPageErrors = (context: BrowserContext): (() => readonly PageError[]) => {
  const troubles: PageError[] = [];
  context.on('console', (message) => {
    if (message.type() !== 'error' || REPEATED.test(message.text())) return;
    const { url, lineNumber } = message.location();
    troubles.push(`console: ${message.text()} (${url}:${lineNumber + 1})`);
  });
  context.on('weberror', (error) => {
    const reason = error.error();
    troubles.push(`error: ${reason.stack ?? reason.message}`);
  });
  context.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? 'failed';
    if (why !== GIVEN_UP) troubles.push(`request: ${shortOf(request)}: ${why}`);
  });
  context.on('response', (response) => {
    if (response.status() >= 400)
      troubles.push(`request: ${shortOf(response.request())} answered ${response.status()}`);
  });
  return () => troubles;
};
