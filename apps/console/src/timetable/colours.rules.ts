/** Colours of classes and teachers: twelve hues, and each of them in two shades. */

const HUE_COUNT = 12;
const SHADE_COUNT = 2;

export interface Colour {
  /** Angle of the hue in degrees. */
  hue: number;
  isDeep: boolean;
}

const hashOf = (text: string): number => {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (hash * 31 + text.charCodeAt(at)) >>> 0;
  return hash;
};

const colourAt = (at: number, use: number): Colour => ({
  hue: (at % HUE_COUNT) * (360 / HUE_COUNT),
  isDeep: use % SHADE_COUNT === 1,
});

/**
 * A colour for each id, in their order: the hue of the id itself, or the next one that is used least. So twelve ids have
 * twelve hues, and an id that is added at the end changes no other.
 */
export const coloursOf = (ids: readonly string[]): Map<string, Colour> => {
  const found = new Map<string, Colour>();
  const uses = Array.from({ length: HUE_COUNT }, () => 0);
  for (const id of ids) {
    const first = hashOf(id) % HUE_COUNT;
    const least = Math.min(...uses);
    const steps = uses.findIndex((_none, at) => uses[(first + at) % HUE_COUNT] === least);
    const hue = (first + steps) % HUE_COUNT;
    uses[hue] = least + 1;
    found.set(id, colourAt(hue, least));
  }
  return found;
};

/** The colour of an id, also of one that is not in the list, such as a completed class. */
export const colourOf = (colours: ReadonlyMap<string, Colour>, id: string): Colour =>
  colours.get(id) ?? colourAt(hashOf(id), 0);

/** The attributes of an element in this colour. */
export const tinted = ({ hue, isDeep }: Colour) => ({
  class: isDeep ? 'tint deep' : 'tint',
  style: { '--hue': String(hue) },
});
