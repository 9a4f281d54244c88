import type { Page } from 'playwright-core';

/** Shortened on purpose, by three dots, and whole elsewhere. */
const SHORTENED = '.person-button span, .brand span, .cut';

/** Script that finds unreadable text: beyond the sides of a page that does not scroll, or larger than its container shows. Single pixels are for screen readers and are ignored. */
const CUT = `(() => {
  const isWhole = (it) => !it.matches(${JSON.stringify(SHORTENED)}) && it.closest('.visually-hidden, .skip, svg') === null;
  const shows = (it, side) => !['hidden', 'clip'].includes(getComputedStyle(it)['overflow' + side]);
  const scrolls = (it) => it !== null && (['auto', 'scroll'].includes(getComputedStyle(it).overflowX) || scrolls(it.parentElement));
  const nameOf = (it) => it.localName + '.' + it.className + ' “' + it.textContent.trim().slice(0, 60) + '”';
  const isBeyond = (it) => {
    const { left, right, width } = it.getBoundingClientRect();
    return width > 0 && (left < -1 || right > innerWidth + 1) && !scrolls(it.parentElement);
  };
  const isCut = (it) =>
    (it.scrollWidth > it.clientWidth + 1 && !shows(it, 'X')) || (it.scrollHeight > it.clientHeight + 1 && !shows(it, 'Y'));
  return [
    ...(document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : []),
    ...[...document.querySelectorAll('body *')]
      .filter((it) => it.checkVisibility() && isWhole(it) && (isBeyond(it) || (it.clientWidth > 1 && isCut(it))))
      .map(nameOf),
  ];
})()`;

/** The texts of a page that cannot be seen or read now. */
export const cutOff = (page: Page): Promise<string[]> => page.evaluate<string[]>(CUT);
