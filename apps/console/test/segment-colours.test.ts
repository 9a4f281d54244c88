import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const TOKENS = readFileSync(new URL('../src/style/tokens.css', import.meta.url), 'utf8');

/** The relative luminance of a colour of tokens.css in both themes (WCAG 2.2). */
const luminanceOf = (token: string): [light: number, dark: number] => {
  const [, light = '', dark = ''] = new RegExp(`--${token}: light-dark\\(#(\\w{6}), #(\\w{6})\\)`).exec(TOKENS) ?? [];
  const luminance = (hex: string): number => {
    const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
      const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  return [luminance(light), luminance(dark)];
};

it.for([0, 1] as const)('raises a chosen segment above the others, with readable text, in theme %i', (theme) => {
  const [raised, track, text] = ['raised', 'surface-3', 'text'].map((token) => luminanceOf(token)[theme] ?? 0);
  expect(raised).toBeGreaterThan(track ?? 1);
  const [low = 0, high = 0] = [raised ?? 0, text ?? 0].toSorted((a, b) => a - b);
  expect((high + 0.05) / (low + 0.05)).toBeGreaterThan(4.5);
});
