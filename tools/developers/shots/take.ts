import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { logInAs } from '../browser/log-in-as.ts';
import { openDevice, PHONE } from '../browser/device.ts';
import { settled } from '../browser/wait-settled.ts';
import { HEIGHTS, nameOf, type View } from './views.ts';
import type { Viewer } from './viewers.ts';

/** One screen as one person sees it in one way. */
export interface Shot {
  viewer: string;
  view: string;
  /** Its name in the address, without ids: `roll-call`. */
  screen: string;
  title: string;
  /** Below the folder of all pictures. */
  file: string;
  /** Errors on it, a line each. */
  troubles: readonly string[];
}

export interface Wanted {
  address: string;
  folder: string;
  isWanted: (screen: string) => boolean;
}

const BELOW = 'http://console';
/** `/roll-call/7` is `roll-call`; `/lessons?tab=hours` is `lessons-hours`. */
const screenOf = (path: string): string => {
  const { pathname, searchParams } = new URL(path, BELOW);
  const tab = searchParams.get('tab');
  return `${pathname.split('/')[1] ?? ''}${tab === null ? '' : `-${tab}`}`;
};

/** Links of a page on this site: screens, and tabs of screens. */
const linked = async (page: Page): Promise<string[]> => {
  const hrefs = await page.evaluate<string[]>(
    '[...document.querySelectorAll("a[href]")].filter((a) => a.origin === location.origin).map((a) => a.href)',
  );
  return hrefs
    .map((href) => {
      const { pathname, searchParams } = new URL(href);
      const tab = searchParams.get('tab');
      return tab === null ? pathname : `${pathname}?tab=${tab}`;
    })
    .filter((path) => !['', 'auth', 'api', 'docs'].includes(screenOf(path)));
};

const goTo = async (page: Page, url: string): Promise<string[]> => {
  try {
    await page.goto(url);
    await settled(page);
    return [];
  } catch (error) {
    return [error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)];
  }
};

/**
 * Opens the start page and from there every linked screen once, and takes a picture of each, whether the navigation or another
 * screen links to it.
 */
export const takeAll = async (browser: Browser, viewer: Viewer, view: View, wanted: Wanted): Promise<Shot[]> => {
  const { address, folder, isWanted } = wanted;
  const { width, theme, locale } = view;
  const viewport = { width, height: HEIGHTS[width] ?? width };
  const phone = width === PHONE.viewport?.width ? PHONE : {};
  const { context, page, troubles } = await openDevice(browser, { ...phone, viewport, colorScheme: theme, locale });
  const shots: Shot[] = [];
  try {
    await logInAs(page, viewer.token);
    await goTo(page, address);
    const paths = [new URL(page.url()).pathname, ...(await linked(page))];
    const seen = new Set<string>();
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
      const screen = screenOf(path) || 'start';
      if (seen.has(screen)) continue;
      seen.add(screen);
      const before = troubles().length;
      const failures = await goTo(page, `${address}${path}`);
      paths.push(...(await linked(page)));
      if (!isWanted(screen)) continue;
      const file = join(viewer.name, `${screen}-${nameOf(view)}.png`);
      mkdirSync(join(folder, viewer.name), { recursive: true });
      await page.screenshot({ path: join(folder, file), fullPage: true, animations: 'disabled' });
      const wrong = [...failures, ...troubles().slice(before)];
      shots.push({ viewer: viewer.name, view: nameOf(view), screen, title: await page.title(), file, troubles: wrong });
    }
    return shots;
  } finally {
    await context.close();
  }
};
