const decoder = new TextDecoder();

/** Parses JSON; returns undefined if the bytes are not JSON. For messages that must not throw on arrival. */
export const readJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
};
