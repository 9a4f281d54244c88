import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { findBrowser } from '../setup/find-browser.mjs';

/**
 * Options against network requests of the browser itself. It runs without Chromium's sandbox, like Playwright by default: root,
 * containers and many systems do not allow one, and the pages are trusted.
 */
const ARGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a headless Chromium. It ends with this process at the latest. Throws an error with the remedy if there is none. */
export const launchBrowser = async (options: LaunchOptions = {}): Promise<Browser> => {
  const found = findBrowser();
  if (found === undefined)
    throw new Error('there is no Chromium: `node tools/setup.mjs --with-browser` gets one, or CHROMIUM names one');
  const { program, env } = found;
  return chromium.launch({
    executablePath: program,
    env: { ...process.env, ...env },
    args: ARGS,
    chromiumSandbox: false,
    ...options,
  });
};

let shared: Promise<Browser> | undefined;

/** The one of this process. Files of tests that share a process share it, too. */
export const sharedBrowser = (): Promise<Browser> => (shared ??= launchBrowser());
