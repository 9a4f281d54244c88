import type { Page } from 'playwright-core';

/**
 * Measures inside a page, so that the driver's time does not count. Instants are epoch milliseconds of one clock and can be compared
 * between pages of a browser. `seen` means painted: the frame that shows it is over.
 */
const STOPWATCH = `
const painted = () => new Promise((done) => requestAnimationFrame(() => {
  const after = new MessageChannel();
  after.port1.onmessage = () => done(performance.timeOrigin + performance.now());
  after.port2.postMessage(null);
}));
const until = (is) => new Promise((done) => {
  const look = () => {
    if (!is()) return;
    changes.disconnect();
    done(painted());
  };
  const changes = new MutationObserver(look);
  changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  look();
});
const isShown = (selector) =>
  document.querySelector(selector) !== null &&
  document.querySelector('main h1') !== null &&
  document.querySelector('main :is(.skeleton, [aria-busy=true])') === null;
const taps = [];
addEventListener('click', ({ timeStamp, isTrusted }) => {
  if (isTrusted) taps.push(performance.timeOrigin + timeStamp);
}, true);
const QUIET_MS = 500;
const quiet = () => new Promise((done) => {
  const wait = () => setTimeout(() => {
    changes.disconnect();
    done();
  }, QUIET_MS);
  let waiting = wait();
  const changes = new MutationObserver(() => {
    clearTimeout(waiting);
    waiting = wait();
  });
  changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
});
const shifts = [];
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries())
    shifts.push({ value, of: sources.map(({ node }) => (node?.nodeType === 1 ? node : node?.parentElement)?.className ?? '?') });
}).observe({ type: 'layout-shift', buffered: true });
window.stopwatch = {
  expect: (selector) => {
    if (isShown(selector)) throw new Error(selector + ' is there already');
    window.stopwatch.seen = until(() => isShown(selector));
  },
  seen: until(() => isShown('main')),
  taps: () => taps,
  began: () => performance.timeOrigin,
  shifts: () => quiet().then(() => shifts),
};
`;

/** Layout shifts of a page: their score, and the classes of the shifted elements. */
export interface Shift {
  value: number;
  of: readonly string[];
}

export interface Stopwatch {
  /** When `selector` first matched after `expected` while nothing was loading; without `expected`, on any screen. */
  seen: () => Promise<number>;
  /** Declares what to wait for; it must not be there yet. */
  expected: (selector: string) => Promise<void>;
  /** Times of taps and clicks since the page began, from the system's events. */
  taps: () => Promise<readonly number[]>;
  /** When going to the page began. */
  began: () => Promise<number>;
  /** Layout shifts since the page began, once nothing changes any more. */
  shifts: () => Promise<readonly Shift[]>;
}

/** Has each document of a page take its time; before the page goes anywhere. */
export const startStopwatch = async (page: Page): Promise<Stopwatch> => {
  await page.addInitScript(`{${STOPWATCH}}`);
  const asked =
    <T>(expression: string) =>
    (): Promise<T> =>
      page.evaluate<T>(`window.stopwatch.${expression}`);
  return {
    seen: asked('seen'),
    expected: (selector) => page.evaluate(`window.stopwatch.expect(${JSON.stringify(selector)})`),
    taps: asked('taps()'),
    began: asked('began()'),
    shifts: asked('shifts()'),
  };
};
