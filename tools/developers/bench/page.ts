import { PARTS } from './measure/by-process.ts';
import type { Row } from './measure/summary.ts';
import type { Results } from './report.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const STYLE = `
:root { color-scheme: light dark; --bar: #4878b8; --plain: #999; }
body { font: 14px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin-bottom: 2rem; }
caption { text-align: left; font-weight: 600; padding: .4rem 0; }
th, td { text-align: right; padding: .15rem .5rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
td.bars { width: 45%; text-align: left; }
.bar { background: var(--bar); height: .9em; min-width: 1px; }
.bar.plain { background: var(--plain); }
.parts { display: flex; height: .9em; }
.parts span:nth-child(1) { background: #4878b8; } .parts span:nth-child(2) { background: #6aa84f; }
.parts span:nth-child(3) { background: #e69138; } .parts span:nth-child(4) { background: #8e63a8; }
.parts span:nth-child(5) { background: #999; }
`;

const table = (caption: string, head: readonly string[], rows: readonly string[]): string =>
  `<table><caption>${escaped(caption)}</caption><tr>${head.map((text) => `<th>${escaped(text)}`).join('')}</tr>${rows.join('')}</table>`;

const row = (cells: readonly string[], bars: string): string =>
  `<tr>${cells.map((text) => `<td>${escaped(text)}`).join('')}<td class="bars">${bars}</tr>`;

const share = (value: number, most: number): string => `${most > 0 ? ((100 * value) / most).toFixed(1) : 0}%`;

const rateOf = ({ rate }: Row): string => (rate < 1_000 ? rate.toFixed(1) : Math.round(rate).toLocaleString('en'));

/** Requests a second of all contenders in one scenario, the most of it as the whole width. */
const rates = (rows: readonly Row[]): string[] => {
  const most = Math.max(...rows.map(({ rate }) => rate));
  return rows.map((one) => {
    const isPlain = one.contender.includes(' on ');
    const bar = `<div class="bar${isPlain ? ' plain' : ''}" style="width:${share(one.rate, most)}"></div>`;
    const times = [one.times.p50, one.times.p99].map((ms) => ms.toFixed(2));
    return row([String(one.connections), one.contender, rateOf(one), ...times], bar);
  });
};

/** CPU of one request by what the processes are. */
const parts = (rows: readonly Row[]): string[] => {
  const all = (one: Row): number => PARTS.reduce((sum, part) => sum + one.parts[part], 0);
  const most = Math.max(...rows.map(all));
  return rows.map((one) => {
    const spans = PARTS.map(
      (part) =>
        `<span title="${part} ${Math.round(one.parts[part])} us" style="width:${share(one.parts[part], most)}"></span>`,
    );
    return row(
      [String(one.connections), one.contender, String(Math.round(all(one)))],
      `<div class="parts">${spans.join('')}</div>`,
    );
  });
};

/** The results as a page that needs nothing else. */
export const page = ({ rows }: Pick<Results, 'rows'>): string => {
  const scenarios = Map.groupBy(rows, ({ scenario }) => scenario);
  const tables = [...scenarios].flatMap(([name, some]) => [
    table(name, ['connections', 'measured', 'requests/s', 'p50 ms', 'p99 ms', ''], rates(some)),
    table(`${name}, CPU of one request: ${PARTS.join(', ')}`, ['connections', 'measured', 'us', ''], parts(some)),
  ]);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Bench</title><style>${STYLE}</style><h1>Bench</h1>${tables.join('\n')}</html>\n`;
};
