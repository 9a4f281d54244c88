const decoder = new TextDecoder();

/** What JSON says; undefined when it is none. For messages that must not throw where they arrive. */
export const readJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
};
