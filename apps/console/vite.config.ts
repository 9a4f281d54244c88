import { defineConfig } from 'vite';
import { sizeBudget } from './build/size-budget.ts';
import { compressedAssets } from './build/compressed-assets.ts';
import { callTable } from './build/call-table.ts';
import { ownStyles } from './build/own-styles.ts';
import { serviceWorker } from './build/service-worker.ts';

const { GATEWAY = 'http://127.0.0.1:8080', TOKEN } = process.env;

/** In development: forwards calls to a running system, with a token instead of a log-in. */
const toGateway = {
  target: GATEWAY,
  ...(TOKEN === undefined ? {} : { headers: { authorization: `Bearer ${TOKEN}` } }),
};

/**
 * Builds static files, which the gateway serves. No script or style is inline, so that the content security policy
 * can forbid inline code.
 */
export default defineConfig({
  plugins: [callTable(), ownStyles(), sizeBudget(), serviceWorker(), compressedAssets()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // Browser tests build into `dist.made`; such a build must not reload the page.
  server: { proxy: { '/api': toGateway, '/auth': toGateway }, watch: { ignored: ['**/dist.made/**'] } },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
