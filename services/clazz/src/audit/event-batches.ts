/** The most bytes in one event, approximately. It is far below the limit of a message. */
const EVENT_BYTES = 1_000_000;

/** Splits a list into parts of at most about 1 MB of JSON, in order. A larger row is a part of its own. */
export const toBatches = <T>(rows: readonly T[], maxBytes = EVENT_BYTES): T[][] => {
  if (rows.length < 2) return rows.length === 0 ? [] : [[...rows]];
  const parts: T[][] = [];
  let part: T[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row));
    if (part.length > 0 && bytes + size > maxBytes) {
      parts.push(part);
      [part, bytes] = [[], 0];
    }
    part.push(row);
    bytes += size;
  }
  return [...parts, part];
};

/** The last state of each record, in the order of the first ones. */
export const lastById = <T extends { id: string }>(states: readonly T[]): T[] => [
  ...new Map(states.map((state) => [state.id, state])).values(),
];
