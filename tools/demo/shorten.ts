const MAX_ITEMS = 3;
const MAX_TEXT = 60;
const MAX_WIDTH = 100;
/** What every answer repeats and no reader of a story needs. */
const DULL = new Set(['org_id', 'created_at', 'updated_at', 'next_cursor']);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shorten = (value: unknown): unknown => {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  if (Array.isArray(value)) {
    const first = value.slice(0, MAX_ITEMS).map(shorten);
    return value.length > MAX_ITEMS ? [...first, `… ${value.length - MAX_ITEMS} more`] : first;
  }
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !DULL.has(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, shorten(member)]));
};

/** One line where it fits, else one line for each member. */
const lay = (value: unknown, indent: string): string => {
  const line = JSON.stringify(value);
  if (line.length + indent.length <= MAX_WIDTH || typeof value !== 'object' || value === null) return line;
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((member) => deeper + lay(member, deeper)).join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value).map(([name, member]) => `${deeper}"${name}": ${lay(member, deeper)}`);
  return `{\n${members.join(',\n')}\n${indent}}`;
};

/** JSON for people: long lists and texts are cut and say so, dull fields are left out. */
export const readable = (value: unknown, indent: string): string => lay(shorten(value), indent);
