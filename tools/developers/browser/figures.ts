/** Repeated measurements and their target. */
export interface Figure {
  what: string;
  values: readonly number[];
  unit: string;
  target?: number;
}

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Values below one, such as layout shifts, have three digits. */
const said = (value: number): string => value.toFixed(value > 0 && value < 1 ? 3 : 0);

const HEAD = ['', 'median', 'worst', 'times', 'target', ''];

/** Figures below each other: median, worst, how often, and the target with a mark where they are beyond it. */
export const tableOf = (figures: readonly Figure[]): string => {
  const rows = figures.map(({ what, values, unit, target }) => {
    const worst = Math.max(...values);
    return [
      `${what}, ${unit}`,
      said(middle(values)),
      said(worst),
      String(values.length),
      target === undefined ? '' : said(target),
      target === undefined || worst <= target ? '' : middle(values) > target ? '<- beyond' : '<- at worst',
    ];
  });
  const all = [HEAD, ...rows];
  const widths = HEAD.map((_none, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))))
    .map((row) => row.join('  ').trimEnd())
    .join('\n');
};
