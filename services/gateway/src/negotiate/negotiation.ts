interface Range {
  value: string;
  q: number;
}

/** The values of a header that lists preferences, each with its quality from 0 to 1 (RFC 9110 §12.4.2). */
const rangesOf = (header: string): Range[] =>
  header.split(',').map((part) => {
    const [value = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const given = parameters.find((piece) => piece.startsWith('q='))?.slice(2);
    const q = given === undefined ? 1 : Number(given);
    return { value, q: q >= 0 && q <= 1 ? q : 0 };
  });

/** The quality of the first of these names that the header contains; 0 if it contains none. */
const qualityOf = (ranges: readonly Range[], names: readonly string[]): number => {
  for (const name of names) {
    const found = ranges.find(({ value }) => value === name);
    if (found !== undefined) return found.q;
  }
  return 0;
};

const ofType = (ranges: readonly Range[], type: string): number =>
  qualityOf(ranges, [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']);

/** True when `Accept` prefers this type to JSON. With equal preference, the header must name the type. */
export const prefersType = (header: string | undefined, type: string): boolean => {
  if (header === undefined) return false;
  const ranges = rangesOf(header);
  const [wanted, json] = [ofType(ranges, type), ofType(ranges, 'application/json')];
  return wanted > 0 && (wanted > json || (wanted === json && ranges.some(({ value }) => value === type)));
};

/**
 * Encodings of a response. Of those with equal preference, the first in this list is used: it costs least for its size.
 */
export const ENCODINGS = ['zstd', 'br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The one of these encodings that `Accept-Encoding` prefers; `undefined` for no compression. */
export const encodingFor = (
  header: string | undefined,
  encodings: readonly Encoding[] = ENCODINGS,
): Encoding | undefined => {
  if (header === undefined || header === '') return undefined;
  const ranges = rangesOf(header);
  const quality = (name: string): number => qualityOf(ranges, name === 'gzip' ? [name, 'x-gzip', '*'] : [name, '*']);
  const [best] = encodings.toSorted((one, other) => quality(other) - quality(one));
  if (best === undefined || quality(best) === 0) return undefined;
  const plain = ranges.find(({ value }) => value === 'identity')?.q ?? 0;
  return plain > quality(best) ? undefined : best;
};

const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');

/** True when `If-None-Match` contains this ETag or `*`. Weak and strong tags compare as equal (RFC 9110 §13.1.2). */
export const hasMatchingEtag = (header: string | undefined, etag: string): boolean => {
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((tag) => opaque(tag) === opaque(etag));
};
