const MAX_WIDTH = 60;

const cell = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH - 1)}…` : line;
};

/** Formats columns as wide as their widest cell; long cells are cut. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const lines = [head, ...rows].map((row) => row.map(cell));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
};
