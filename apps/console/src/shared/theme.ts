import { effect, signal } from '@preact/signals';
import { storeText, storedText } from './stored-text.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const stored = storedText('theme');
export const theme = signal<Theme>(THEMES.find((known) => known === stored) ?? 'system');

export const chooseTheme = (chosen: Theme): void => {
  storeText('theme', chosen === 'system' ? null : chosen);
  theme.value = chosen;
};

effect(() => {
  if (theme.value === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.dataset['theme'] = theme.value;
});
