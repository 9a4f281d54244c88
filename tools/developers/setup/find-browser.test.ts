import { afterEach, expect, it, vi } from 'vitest';
import { findBrowser } from './find-browser.mjs';

afterEach(() => vi.unstubAllEnvs());

it('uses the browser that CHROMIUM names, and no other if it is missing', () => {
  vi.stubEnv('CHROMIUM', process.execPath);
  expect(findBrowser()?.program).toBe(process.execPath);
  vi.stubEnv('CHROMIUM', '/nowhere/chromium');
  expect(findBrowser).toThrow('CHROMIUM names /nowhere/chromium, which is not there.');
});
