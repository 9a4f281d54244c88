import { signal } from '@preact/signals';

/**
 * Values of one person that outlast a reload and a log-in in this window: drafts and open forms. A log-out removes
 * them, and so does the log-in of another person.
 */
const PREFIX = 'kept ';
const prefixOf = (person: string): string => `${PREFIX}${person} `;

/** Whether values are stored: not after a log-out, until a person is logged in again. */
export const isStoring = signal(true);

/** Stores a value as JSON; undefined removes it. It does nothing if the browser forbids storage. */
export const storePersonValue = (person: string, name: string, value: unknown): void => {
  if (!isStoring.value) return;
  try {
    if (value === undefined) sessionStorage.removeItem(prefixOf(person) + name);
    else sessionStorage.setItem(prefixOf(person) + name, JSON.stringify(value));
  } catch {
    // Storage is forbidden or full. The value then lasts as long as its form is open.
  }
};

/** Reads a value; undefined if there is none. */
export const personValue = (person: string, name: string): unknown => {
  try {
    const stored = sessionStorage.getItem(prefixOf(person) + name);
    return stored === null ? undefined : JSON.parse(stored);
  } catch {
    return undefined;
  }
};

const removeValues = (isRemoved: (key: string) => boolean): void => {
  try {
    for (const key of Object.keys(sessionStorage))
      if (key.startsWith(PREFIX) && isRemoved(key)) sessionStorage.removeItem(key);
  } catch {
    // The browser forbids storage, so nothing was stored.
  }
};

/** Removes the values of all other persons, after `person` has logged in. */
export const keepValuesOf = (person: string): void => {
  isStoring.value = true;
  removeValues((key) => !key.startsWith(prefixOf(person)));
};

/** Removes all values, after a log-out. */
export const removePersonValues = (): void => {
  isStoring.value = false;
  removeValues(() => true);
};
