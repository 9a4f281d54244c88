import { describe, expect, it } from 'vitest';
import { colourOf, coloursOf } from './colours.rules.ts';

const IDS = Array.from({ length: 24 }, (_none, at) => `class-${at}`);

describe('Colours', () => {
  it('are 24 different ones, and the first twelve differ in their hue', () => {
    const colours = [...coloursOf(IDS).values()];
    expect(new Set(colours.slice(0, 12).map(({ hue }) => hue)).size).toBe(12);
    expect(new Set(colours.map((colour) => JSON.stringify(colour))).size).toBe(24);
  });

  it('do not change if an id is added at the end', () => {
    const colours = coloursOf(IDS.slice(0, 7));
    const more = coloursOf(IDS);
    for (const [id, colour] of colours) expect(more.get(id)).toEqual(colour);
  });

  it('depend on the id alone if it is not in the list', () => {
    expect(colourOf(coloursOf(IDS), 'completed')).toEqual(colourOf(new Map(), 'completed'));
  });
});
