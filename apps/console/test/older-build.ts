import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Route } from 'playwright-core';
import { CONSOLE_FOLDER } from '../../../services/gateway/src/console/console-files.ts';

const HASH = /-[\w-]{8}\.js$/;
const OLDER_SUFFIX = '-older000.js';

const scripts = (): string[] => readdirSync(join(CONSOLE_FOLDER, 'assets')).filter((name) => HASH.test(name));
const textOf = (path: string): string => readFileSync(join(CONSOLE_FOLDER, path), 'utf8');

/** The text of an older build: its scripts and its cache have other names. */
const textOfOlderBuild = (text: string): string =>
  scripts()
    .reduce((changed, name) => changed.replaceAll(name, name.replace(HASH, OLDER_SUFFIX)), text)
    .replace(/BUILD = "\w+"/, 'BUILD = "older"');

const answer = (route: Route): Promise<void> => {
  const { pathname } = new URL(route.request().url());
  if (pathname === '/sw.js')
    return route.fulfill({ contentType: 'text/javascript', body: textOfOlderBuild(textOf('sw.js')) });
  const script = scripts().find((name) => `/assets/${name.replace(HASH, OLDER_SUFFIX)}` === pathname);
  if (script !== undefined)
    return route.fulfill({ contentType: 'text/javascript', body: textOfOlderBuild(textOf(`assets/${script}`)) });
  if (route.request().isNavigationRequest() || pathname === '/')
    return route.fulfill({ contentType: 'text/html', body: textOfOlderBuild(textOf('index.html')) });
  return route.fallback();
};

/** Serves a browser the older build. The returned function replaces it by the current one. */
export const serveOlderBuild = async (context: BrowserContext): Promise<() => Promise<void>> => {
  await context.route('**', answer);
  return () => context.unroute('**', answer);
};

export const isOlderAsset = (address: string): boolean => address.endsWith(OLDER_SUFFIX);
