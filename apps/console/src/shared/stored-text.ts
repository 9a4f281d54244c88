/** Reads a small choice from the browser's storage; null if there is none or storage is forbidden. */
export const storedText = (name: string): string | null => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};

export const storeText = (name: string, value: string | null): void => {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // Private windows may forbid storage. The choice then lasts as long as the page.
  }
};
