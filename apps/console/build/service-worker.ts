import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const SOURCE = new URL('service-worker.js', import.meta.url);
/** What a page without network needs besides what the build names by its content. */
const BESIDE = ['/', '/icon.svg', '/manifest.webmanifest'];

/** Writes `/sw.js`, which keeps the files of this build for when there is no network: another build, another text. */
export const serviceWorker = (): Plugin => ({
  name: 'service-worker',
  apply: 'build',
  enforce: 'post',
  generateBundle(_options, bundle) {
    const files = [
      ...BESIDE,
      ...Object.keys(bundle)
        .filter((name) => name.startsWith('assets/'))
        .map((name) => `/${name}`),
    ].sort();
    const source = readFileSync(SOURCE, 'utf8');
    const index = bundle['index.html'];
    const named = index?.type === 'asset' ? String(index.source) : '';
    const beside = ['icon.svg', 'manifest.webmanifest'].map((name) =>
      readFileSync(new URL(`../public/${name}`, import.meta.url), 'utf8'),
    );
    const build = createHash('sha256')
      .update(JSON.stringify([files, source, named, ...beside]))
      .digest('hex')
      .slice(0, 12);
    const text = source.replace("'BUILD'", JSON.stringify(build)).replace("['FILES']", JSON.stringify(files));
    this.emitFile({ type: 'asset', fileName: 'sw.js', source: text });
  },
});
