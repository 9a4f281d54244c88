import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type PageError, watchPageErrors } from './page-errors.ts';

/** A person's browser: a page with its own cookies and storage. */
export interface Device {
  context: BrowserContext;
  page: Page;
  troubles: () => readonly PageError[];
}

/** As on the desk of an office, and never another from machine to machine. */
const DESK: BrowserContextOptions = {
  viewport: { width: 1280, height: 800 },
  colorScheme: 'light',
  locale: 'en-GB',
  timezoneId: 'Europe/Madrid',
  reducedMotion: 'reduce',
};

/** A small phone. */
export const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** TRACE=1 records the steps of a failed test with pictures. It takes time, so it is off by default. */
export const isTraced = (): boolean => Boolean(process.env['TRACE']);

export const openDevice = async (browser: Browser, options: BrowserContextOptions): Promise<Device> => {
  const context = await browser.newContext({ ...DESK, ...options });
  const troubles = watchPageErrors(context);
  if (isTraced()) await context.tracing.start({ screenshots: true, snapshots: true, sources: true });
  return { context, page: await context.newPage(), troubles };
};
