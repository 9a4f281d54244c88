const MAX_ITEMS = 2;
const MAX_TEXT = 60;
const MAX_WIDTH = 110;
/** Fields that every answer repeats. */
const DULL = new Set(['org_id', 'created_at', 'updated_at', 'next_cursor', 'request_id', 'type']);

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

/** Places parts on lines of limited width. A part of several lines is on its own. */
const fill = (parts: readonly string[], indent: string): string => {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const joined = `${last}, ${part}`;
    if (last === undefined || joined.includes('\n') || joined.length + indent.length > MAX_WIDTH) lines.push(part);
    else lines.splice(-1, 1, joined);
  }
  return lines.map((line) => indent + line).join(',\n');
};

/** One line where it fits, else as many members to a line as fit. */
const lay = (value: unknown, indent: string): string => {
  const line = JSON.stringify(value);
  if (line.length + indent.length <= MAX_WIDTH || typeof value !== 'object' || value === null) return line;
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    const members = value.map((member) => lay(member, deeper));
    return `[\n${fill(members, deeper)}\n${indent}]`;
  }
  const members = Object.entries(value).map(([name, member]) => `"${name}":${lay(member, deeper)}`);
  return `{\n${fill(members, deeper)}\n${indent}}`;
};

/** JSON for people: long lists and texts are shortened with a mark, repeated fields are omitted. */
export const readable = (value: unknown, indent: string): string => lay(shorten(value), indent);
