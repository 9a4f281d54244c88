import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unpackInto } from './debian.mjs';
import { DOWNLOADED, findBrowser, FONT_PACKAGES, FONTS, PACKAGE, PACKAGED } from './find-browser.mjs';
import { CHECKOUT, printLine } from './setup-paths.mjs';
import { run } from './run.mjs';

const hasPackages = () => existsSync('/usr/bin/apt-get');
const needsProgram = () => findBrowser() === undefined;
const needsFonts = () => hasPackages() && !existsSync(FONTS);

export const needsBrowser = () => needsProgram() || needsFonts();

const ADVICE = `No Chromium found for the tests in a browser. Install one, then run the command again:
  Debian           sudo apt-get update && sudo apt-get install chromium
  Ubuntu, Fedora   google-chrome, or the missing libraries: sudo npx playwright-core install-deps chromium
  macOS, Windows   Chrome, named by CHROMIUM=<path of the program>`;

/** It may be there and lack a library all the same: then it goes, for the next set-up would take it for a good one. */
const tryIn = async (folder) => {
  try {
    const found = findBrowser();
    if (found === undefined) throw new Error('the download contains no Chromium');
    await run(found.program, ['--version'], { env: { ...process.env, ...found.env } });
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
};

/** Playwright is one of the packages, so these have to be there. */
const fromPlaywright = async (packages) => {
  await packages;
  printLine("Chromium: downloading Playwright's ...");
  const half = `${DOWNLOADED}.half`;
  for (const folder of [half, DOWNLOADED]) rmSync(folder, { recursive: true, force: true });
  const args = ['install', '--no-progress', 'chromium-headless-shell'];
  await run(process.execPath, [join(CHECKOUT, 'node_modules/playwright-core/cli.js'), ...args], {
    env: { ...process.env, PLAYWRIGHT_BROWSERS_PATH: half },
  });
  renameSync(half, DOWNLOADED);
  await tryIn(DOWNLOADED);
};

const fromDebian = async () => {
  if (!hasPackages()) throw new Error('this is no Debian');
  printLine("Chromium: taking it from the distribution's packages ...");
  await unpackInto(PACKAGED, [PACKAGE]);
  await tryIn(PACKAGED);
};

const fetchProgram = async (packages) => {
  const reasons = [];
  for (const way of [fromDebian, () => fromPlaywright(packages)]) {
    try {
      return await way();
    } catch (error) {
      reasons.push(error.message);
    }
  }
  throw new Error(reasons.join('\n'));
};

/** Without them pages use the system's fonts, and tests continue. */
const fetchFonts = () =>
  unpackInto(FONTS, FONT_PACKAGES, { alone: true }).catch((error) =>
    printLine(`Chromium: goes by the system's fonts, for those of the packages cannot be had: ${error.message}`),
  );

/**
 * Downloads a Chromium for tests, and fonts, into the checkout, or explains what to do. Installs nothing. `packages` settles when
 * npm's packages are there.
 */
export const fetchBrowser = async (packages) => {
  const since = Date.now();
  try {
    await Promise.all([needsProgram() && fetchProgram(packages), needsFonts() && fetchFonts()]);
  } catch (error) {
    throw new Error(`${error.message}\n\n${ADVICE}`, { cause: error });
  }
  printLine(`Chromium: ready after ${((Date.now() - since) / 1000).toFixed(1)} s`);
};
