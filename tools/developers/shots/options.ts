import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { OWN_FOLDER } from '../setup/setup-paths.mjs';

export const USAGE = `Usage: npm run console:shots [-- [<folder>] [options]]

Takes a picture of every screen of the console as each role sees it: on a phone and on a desk, light and dark, in each language, in the
demo school and in an organization with nothing. <folder>/index.html shows them all (default .local/shots).
  --url <address>  of a system that runs with this checkout's DATA_DIR, as \`npm start\` prints it; otherwise one is started
  --screen <name>  only this screen, by the first word of its address (roll-call); several times for several
  --only <words>   only views and persons whose names have all these words: "school teacher 360 dark zh"
Exit code: 0 success, 1 an error on a page (named in index.html), 2 wrong arguments, 130 after Ctrl-C.`;

export interface Options {
  folder: string;
  url: string | undefined;
  screens: readonly string[];
  words: readonly string[];
}

const Url = z.url({ protocol: /^https?$/, error: '--url is no address of a site' }).optional();

/** Parses the command line; undefined if help is requested. Throws a `TypeError` with the message. */
export const optionsOf = (args: readonly string[]): Options | undefined => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      screen: { type: 'string', multiple: true, default: [] },
      only: { type: 'string', default: '' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return undefined;
  const [folder = join(OWN_FOLDER, 'shots'), ...more] = positionals;
  if (more.length > 0) throw new TypeError('one folder is enough');
  const url = Url.safeParse(values.url);
  if (!url.success) throw new TypeError(url.error.issues[0]?.message);
  return {
    folder: resolve(folder),
    url: url.data?.replace(/\/+$/, ''),
    screens: values.screen,
    words: values.only.split(/\s+/).filter(Boolean),
  };
};
