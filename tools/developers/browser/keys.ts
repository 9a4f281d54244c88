import type { Locator, Page } from 'playwright-core';

const MOST = 100;

/** The fault of the present focus: none, without a ring, out of sight, or covered. */
const WRONG = `(() => {
  const it = document.activeElement;
  if (it === null || it === document.body) return 'the focus is nowhere';
  const name = it.localName + ' “' + (it.ariaLabel ?? it.labels?.[0]?.textContent ?? it.textContent ?? '').trim().slice(0, 60) + '”';
  const hasRing = (one) => {
    const { outlineStyle, outlineWidth, opacity } = getComputedStyle(one);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0 && opacity !== '0';
  };
  // Parts of a field for dates have rings of their own.
  const rings = it.matches(':focus') ? [it, it.closest('label')] : [];
  if (rings.length > 0 && !rings.some((one) => one !== null && hasRing(one))) return name + ' shows no focus';
  const { left, right, top, bottom } = it.getBoundingClientRect();
  const [x, y] = [Math.max(0, left) + Math.min(innerWidth, right), Math.max(0, top) + Math.min(innerHeight, bottom)].map((sum) => sum / 2);
  if (right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight) return name + ' is out of sight';
  const seen = document.elementFromPoint(x, y);
  if (seen !== null && (it.contains(seen) || seen.contains(it))) return null;
  return name + ' is covered by ' + (seen === null ? 'nothing' : seen.localName + '.' + seen.className);
})()`;

/** Throws where the focus is lost or cannot be seen. */
export const expectFocusSeen = async (page: Page): Promise<void> => {
  const wrong = await page.evaluate<string | null>(WRONG);
  if (wrong !== null) throw new Error(wrong);
};

/** Whether the focus is there, and can be seen. */
export const isFocused = async (page: Page, target: Locator): Promise<boolean> => {
  await expectFocusSeen(page);
  return (await page.locator(':focus').and(target).count()) > 0;
};

/** Goes on by Tab until the focus is there; it is seen all the way. */
export const tabTo = async (page: Page, target: Locator): Promise<void> => {
  for (let step = 0; step < MOST; step += 1) {
    await page.keyboard.press('Tab');
    if (await isFocused(page, target)) return;
  }
  throw new Error(`Tab does not reach ${target.toString()}`);
};

const leaveBy = async (page: Page, key: string): Promise<void> => {
  for (let step = 0; step < MOST; step += 1) {
    await page.keyboard.press(key);
    if (await page.evaluate<boolean>('document.activeElement === document.body')) return;
    await expectFocusSeen(page);
  }
  throw new Error(`${key} does not leave the page`);
};

/** Goes by Tab through all that is reached, until the focus leaves the page, and back again: it is seen all the way. */
export const tabThrough = async (page: Page): Promise<void> => {
  await leaveBy(page, 'Tab');
  await leaveBy(page, 'Shift+Tab');
};
