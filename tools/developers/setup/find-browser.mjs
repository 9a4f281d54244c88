import { existsSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placeOf } from './debian.mjs';
import { OWN_FOLDER } from './setup-paths.mjs';

/** Debian's package of a headless Chromium, which Playwright also uses by default. */
export const PACKAGE = 'chromium-headless-shell';
export const PACKAGED = placeOf(PACKAGE);
/** Latin, signs, Chinese. */
export const FONT_PACKAGES = ['fonts-liberation', 'fonts-dejavu-core', 'fonts-wqy-microhei'];
export const FONTS = placeOf('browser-fonts');
/** Where Playwright's own download goes. */
export const DOWNLOADED = join(OWN_FOLDER, 'playwright');

const NAMES = ['chromium-headless-shell', 'chromium', 'google-chrome'];

const filesBelow = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map(({ parentPath, name }) => join(parentPath, name))
    : [];

const onPath = () => {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((place) => existsSync(place));
};

/** The program itself: the script around it wants to be installed. Its libraries lie in several folders. */
const packaged = () => {
  const program = join(PACKAGED, 'usr/lib/chromium', PACKAGE);
  if (!existsSync(program)) return undefined;
  const libraries = filesBelow(join(PACKAGED, 'usr/lib')).filter((file) => /\.so(\.|$)/.test(file));
  const folders = [...new Set(libraries.map((file) => dirname(file)))];
  return { program, env: { LD_LIBRARY_PATH: folders.join(delimiter) } };
};

const named = () => {
  const program = process.env.CHROMIUM;
  if (program && !existsSync(program)) throw new Error(`CHROMIUM names ${program}, which is not there.`);
  return program;
};

/** Program and environment of a browser for tests, or undefined. CHROMIUM names one instead of the one that would be found. */
export const findBrowser = () => {
  const fonts = existsSync(FONTS) ? { FONTCONFIG_FILE: fileURLToPath(new URL('fonts.conf', import.meta.url)) } : {};
  const plain = (program) => program && { program, env: {} };
  const downloaded = () =>
    filesBelow(DOWNLOADED).find((file) => /[/\\](chrome-)?headless[-_]shell(\.exe)?$/.test(file));
  const found = plain(named() ?? onPath()) ?? packaged() ?? plain(downloaded());
  return found && { program: found.program, env: { ...found.env, ...fonts } };
};
