import { type OneOfEach, RECORD_MARKER } from '../../../tools/proofs/test/one-of-each.ts';

type Kind = keyof OneOfEach;

/** Values that other organizations also have. */
const COMMON: readonly Kind[] = ['student', 'teacher', 'version', 'next_version'];
const PEOPLE: readonly Kind[] = ['student', 'teacher', 'leaver'];
/** Fields that every reader of courses and packages sees. */
const CATALOGUE: readonly Kind[] = [
  'category',
  'course',
  'section',
  'group',
  'package',
  'item',
  'version',
  'next_version',
  'hash',
  'next_hash',
];

const idsBut = (our: OneOfEach, ...kinds: Kind[]): string[] =>
  Object.entries(our).flatMap(([kind, id]) => (kinds.some((one) => one === kind) ? [] : [id]));
const holds = (said: unknown, words: readonly string[]): boolean => {
  const text = JSON.stringify(said);
  return words.some((word) => text.includes(word));
};

/** True when the text contains a record of ours: its id, one of its texts, or the organization. */
export const revealsRecord = (our: OneOfEach, org: string, said: unknown): boolean =>
  holds(said, [...idsBut(our, ...COMMON), RECORD_MARKER, org]);

/** True when it contains a record of our family that the whole school may not see. */
export const revealsFamilyRecord = (our: OneOfEach, said: unknown): boolean =>
  holds(said, [...idsBut(our, ...CATALOGUE, ...PEOPLE), RECORD_MARKER, `"${our.student}"`]);
