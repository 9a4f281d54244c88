import { signal } from '@preact/signals';

const EVERY_MS = 15_000;

/** The current time in epoch milliseconds. It changes every 15 seconds while the page is visible. */
export const now = signal(Date.now());

setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now();
}, EVERY_MS);
document.addEventListener('visibilitychange', () => {
  now.value = Date.now();
});
