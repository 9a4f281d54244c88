/** Rows of one event: far below what a message may hold, whatever the class has grown to. */
const EVENT_ROWS = 200;

/** A list in parts of at most 200, in order. */
export const inParts = <T>(rows: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(rows.length / EVENT_ROWS) }, (_, n) =>
    rows.slice(n * EVENT_ROWS, (n + 1) * EVENT_ROWS),
  );
