import { defineConfig } from 'vite';
import { sizeBudget } from './build/size-budget.ts';
import { compressedAssets } from './build/compressed-assets.ts';
import { callTable } from './build/call-table.ts';
import { ownStyles } from './build/own-styles.ts';
import { serviceWorker } from './build/service-worker.ts';

const { GATEWAY = 'http://127.0.0.1:8080', TOKEN } = process.env;

/** While the page is worked on: calls go to a running system, with a token instead of a log-in. */
const toGateway = {
  target: GATEWAY,
  ...(TOKEN === undefined ? {} : { headers: { authorization: `Bearer ${TOKEN}` } }),
};

/** Static files; the gateway serves them. Nothing is inline, so that its policy can forbid what is. */
export default defineConfig({
  plugins: [callTable(), ownStyles(), sizeBudget(), serviceWorker(), compressedAssets()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // What a story builds meanwhile is no reason to load the page again.
  server: { proxy: { '/api': toGateway, '/auth': toGateway }, watch: { ignored: ['**/dist.made/**'] } },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
