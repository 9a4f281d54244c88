import { createHmac, randomBytes } from 'node:crypto';
import type { AuditEntry } from '@teaching/contracts';

/** Fields with free text about people, in all kinds of records. */
const TEXT_FIELDS = new Set([
  'reason',
  'note',
  'comment',
  'cancel_reason',
  'override_reason',
  'decision_reason',
  'called_by',
]);
/** The field of the note on a student's mark, in the entry of a roll call. */
export const noteField = (student_id: string): string => `note/${student_id}`;

/** The field of the minutes by which a student was late. It is not a text. */
export const lateMinutesField = (student_id: string): string => `late_minutes/${student_id}`;

/** The path of a text in an entry (JSON Pointer, RFC 6901), and its digest. */
export interface TextRef {
  path: string;
  digest: string;
}
/** A text that is stored beside the chain, with the key of its digest. Erasing it sets both to null. */
export interface AuditText {
  digest: string;
  key: string | null;
  text: string | null;
}
/** The fields of an entry that may contain texts. */
export type WithTexts = Pick<AuditEntry, 'entity' | 'reason' | 'changes'>;

/** HMAC-SHA256 in lower-case hex, under a key in hex. */
export const digestOf = (key: string, text: string): string =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('hex');
const newKey = (): string => randomBytes(16).toString('hex');

const isText = (entity: AuditEntry['entity'], field: string): boolean =>
  entity === 'roll_call' ? field.startsWith(noteField('')) : TEXT_FIELDS.has(field);
const pointer = (...steps: string[]): string =>
  steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The entry with each value that may be a text replaced by the result of `replace`. */
const mapTexts = <E extends WithTexts>(
  entry: E,
  replace: (path: string, value: unknown, field: string | null) => unknown,
): E => {
  const { entity, reason, changes } = entry;
  const replaced = (field: string, side: 'before' | 'after') =>
    replace(pointer('changes', field, side), changes[field]?.[side], field);
  const replacedFields = Object.keys(changes)
    .filter((field) => isText(entity, field))
    .map((field) => [field, { before: replaced(field, 'before'), after: replaced(field, 'after') }] as const);
  const changed = replace('/reason', reason, null);
  return {
    ...entry,
    reason: typeof changed === 'string' ? changed : null,
    changes: replacedFields.length === 0 ? changes : { ...changes, ...Object.fromEntries(replacedFields) },
  };
};

/** A text removed from an entry, with the people it is about. Erasing a person erases the text. */
export interface DetachedText extends AuditText {
  people: string[];
}

/** A note is about its student. Any other text is about all people of the entry. */
const peopleOf = (entity: AuditEntry['entity'], field: string | null, about: readonly string[]): string[] =>
  entity === 'roll_call' && field !== null ? [field.slice(noteField('').length)] : [...about];

/** Removes the texts from an entry. The returned entry is the content of the chain. */
export const detachTexts = <E extends WithTexts>(
  entry: E,
  about: readonly string[],
): { entry: E & { texts: TextRef[] | null }; texts: DetachedText[] } => {
  const refs: TextRef[] = [];
  const texts: DetachedText[] = [];
  const bare = mapTexts(entry, (path, value, field) => {
    if (typeof value !== 'string') return value;
    const key = newKey();
    const digest = digestOf(key, value);
    refs.push({ path, digest });
    texts.push({ digest, key, text: value, people: peopleOf(entry.entity, field, about) });
    return null;
  });
  return { entry: { ...bare, texts: refs.length === 0 ? null : refs }, texts };
};

/** The people that the changes of an entry name. */
export const peopleOfEntry = ({ entity, changes }: WithTexts): string[] => {
  if (entity === 'roll_call') return Object.keys(changes).filter((field) => !field.includes('/'));
  const named = ['student_id', 'teacher_id'].flatMap((field) => [changes[field]?.before, changes[field]?.after]);
  return [...new Set(named)].filter((value) => typeof value === 'string');
};

/** Texts as rows of `audit_text`. */
export const toTextRows = (org_id: string, texts: readonly DetachedText[], former_seq: number | null = null) =>
  texts.map((text) => ({ org_id, ...text, erased_at: null, former_seq }));

/** Adds the stored texts to an entry again. Erased texts stay null. */
export const attachTexts = <E extends WithTexts & { texts: readonly TextRef[] | null }>(
  entry: E,
  known: ReadonlyMap<string, AuditText>,
): E => {
  if (entry.texts === null) return entry;
  const at = new Map(entry.texts.map(({ path, digest }) => [path, known.get(digest)?.text ?? null]));
  return mapTexts(entry, (path, value) => (at.has(path) ? at.get(path) : value));
};

/** An entry with the keys of its texts, so that a reader can check their digests. */
export const withTextKeys = <E extends { texts: readonly TextRef[] | null }>(
  entry: E,
  known: ReadonlyMap<string, AuditText>,
) => ({
  ...entry,
  texts: entry.texts?.map((ref) => ({ ...ref, key: known.get(ref.digest)?.key ?? null })) ?? null,
});

/** The reason why the stored texts do not match the digests of an entry; undefined if they match. */
export const textFault = (
  refs: readonly TextRef[] | null,
  known: ReadonlyMap<string, AuditText>,
): string | undefined => {
  for (const { digest } of refs ?? []) {
    const found = known.get(digest);
    if (found === undefined) return 'a text of it is missing';
    if (found.text === null) continue;
    if (found.key === null || digestOf(found.key, found.text) !== digest)
      return 'a text of it does not match its digest';
  }
  return undefined;
};
