/** Options of `expect.poll` for background work, which is slow only when many tests run at once. */
export const POLL_OPTIONS = { timeout: 60_000, interval: 50 };
