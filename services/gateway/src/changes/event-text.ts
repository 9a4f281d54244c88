/** Milliseconds until a browser connects again. */
const RETRY_MS = 1_000;

/** Texts of a stream of server-sent events (HTML Standard, §9.2). An event without data is none, but its id counts. */
export const eventText = {
  begin: (id: string): string => `retry: ${RETRY_MS}\nid: ${id}\n\n`,
  change: (id: string, change: object): string => `id: ${id}\nevent: change\ndata: ${JSON.stringify(change)}\n\n`,
  reset: (id: string): string => `id: ${id}\nevent: reset\ndata: {}\n\n`,
  /** Says that the stream is there, and up to where its reader has heard everything. */
  alive: (id: string): string => `:\nid: ${id}\n\n`,
};
