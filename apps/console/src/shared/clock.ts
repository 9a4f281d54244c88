import { signal } from '@preact/signals';

const EVERY_MS = 15_000;

/** Epoch milliseconds, as often as what is shown by it changes. */
export const now = signal(Date.now());

setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now();
}, EVERY_MS);
document.addEventListener('visibilitychange', () => {
  now.value = Date.now();
});
