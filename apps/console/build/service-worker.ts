import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const SOURCE = new URL('service-worker.js', import.meta.url);
/** Files that the page needs without network and that are not named by their content. */
const UNHASHED_FILES = ['/', '/icon.svg', '/manifest.webmanifest'];

/**
 * Writes `/sw.js`, which caches the files of this build for use without network. Its text differs for each build, so
 * a browser installs the new one.
 */
export const serviceWorker = (): Plugin => ({
  name: 'service-worker',
  apply: 'build',
  enforce: 'post',
  generateBundle(_options, bundle) {
    const files = [
      ...UNHASHED_FILES,
      ...Object.keys(bundle)
        .filter((name) => name.startsWith('assets/'))
        .map((name) => `/${name}`),
    ].sort();
    const source = readFileSync(SOURCE, 'utf8');
    const index = bundle['index.html'];
    const indexHtml = index?.type === 'asset' ? String(index.source) : '';
    const unhashedContents = ['icon.svg', 'manifest.webmanifest'].map((name) =>
      readFileSync(new URL(`../public/${name}`, import.meta.url), 'utf8'),
    );
    const build = createHash('sha256')
      .update(JSON.stringify([files, source, indexHtml, ...unhashedContents]))
      .digest('hex')
      .slice(0, 12);
    const text = source.replace("'BUILD'", JSON.stringify(build)).replace("['FILES']", JSON.stringify(files));
    this.emitFile({ type: 'asset', fileName: 'sw.js', source: text });
  },
});
