import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { findBrowser } from '../setup/find-browser.mjs';

/**
 * Nothing that asks the network by itself. Without Chromium's sandbox, as Playwright does by itself: root, containers and
 * many systems do not let it have one, and the pages are our own.
 */
const ARGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a Chromium without windows. It ends with this process at the latest. Throws, and says what to do, where there is none. */
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
