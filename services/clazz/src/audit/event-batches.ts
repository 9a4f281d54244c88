/** What one event carries at most, about: far below what a message may hold. */
const EVENT_BYTES = 1_000_000;

/** A list in parts of at most about 1 MB of JSON, in order. A row that is larger by itself is a part of its own. */
export const inBatches = <T>(rows: readonly T[], most = EVENT_BYTES): T[][] => {
  if (rows.length < 2) return rows.length === 0 ? [] : [[...rows]];
  const parts: T[][] = [];
  let part: T[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row));
    if (part.length > 0 && bytes + size > most) {
      parts.push(part);
      [part, bytes] = [[], 0];
    }
    part.push(row);
    bytes += size;
  }
  return [...parts, part];
};

/** The last of several states of each record: what a transaction leaves behind. */
export const lastById = <T extends { id: string }>(states: readonly T[]): T[] => [
  ...new Map(states.map((state) => [state.id, state])).values(),
];
