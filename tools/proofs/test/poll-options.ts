/** For `expect.poll`: what happens by itself, and takes long only where many tests run at once. */
export const POLL_OPTIONS = { timeout: 60_000, interval: 50 };
