/**
 * Each open dialog has a history entry, so that Back closes it. The entries of one page have the same address. An
 * entry whose dialog is closed in another way is removed.
 */
interface Entry {
  page: string;
  /** The number of open dialogs. */
  dialogs: number;
}

/** A browser that has not moved to another entry after this time does not do so any more. */
const LONGEST_MOVE_MS = 1_000;

const entryOf = (state: unknown): Entry | undefined =>
  typeof state === 'object' &&
  state !== null &&
  'page' in state &&
  typeof state.page === 'string' &&
  'dialogs' in state &&
  typeof state.dialogs === 'number'
    ? { page: state.page, dialogs: state.dialogs }
    : undefined;

const addressNow = (): string => location.pathname + location.search;

/** The functions that close the open dialogs, outermost first. */
const closers: (() => void)[] = [];
/** The page that had a dialog last, and its address. */
let page = entryOf(history.state)?.page;
let address = addressNow();
let moving: ReturnType<typeof setTimeout> | undefined;
let adjusting: ReturnType<typeof setTimeout> | undefined;

/** Makes the number of entries that of the open dialogs. */
const adjust = (): void => {
  adjusting = undefined;
  if (moving !== undefined) return;
  let entry = entryOf(history.state);
  const excess = (entry?.dialogs ?? 0) - closers.length;
  if (excess > 0) {
    moving = setTimeout(() => {
      moving = undefined;
    }, LONGEST_MOVE_MS);
    history.go(-excess);
  }
  if (excess >= 0) return;
  if (entry === undefined) {
    entry = { page: crypto.randomUUID(), dialogs: 0 };
    // Without the fragment of the skip link, which would take the focus when the dialog is closed.
    history.replaceState(entry, '', addressNow());
  }
  page = entry.page;
  address = addressNow();
  for (let dialogs = entry.dialogs + 1; dialogs <= closers.length; dialogs += 1)
    history.pushState({ page, dialogs } satisfies Entry, '');
};

/** One dialog may replace another, so the history is adjusted after both have been rendered. */
const adjustSoon = (): void => {
  adjusting ??= setTimeout(adjust);
};

// This file is loaded before the router listens, so the router reads the address of the page.
addEventListener('popstate', ({ state }) => {
  const entry = entryOf(state);
  if (entry !== undefined && entry.page === page && address !== addressNow()) history.replaceState(state, '', address);
  if (moving === undefined) for (const close of closers.slice(entry?.dialogs ?? 0).toReversed()) close();
  clearTimeout(moving);
  moving = undefined;
  adjustSoon();
});
// The page may have been loaded again while a dialog was open.
adjustSoon();

/** Adds a dialog that Back closes. Returns the function that removes it. */
export const closeOnBack = (close: () => void): (() => void) => {
  closers.push(close);
  adjustSoon();
  return () => {
    closers.splice(closers.indexOf(close), 1);
    adjustSoon();
  };
};

/** Calls `replace`, which replaces the address of the page, and keeps the entry of an open dialog. */
export const keepEntry = (replace: () => void): void => {
  const { state } = history;
  replace();
  history.replaceState(state, '');
  if (entryOf(state)?.page === page) address = addressNow();
};
