import type { Shot } from './take.ts';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);

const figure = ({ view, title, file, troubles }: Shot): string => `
<figure><a href="${escaped(file)}"><img loading="lazy" src="${escaped(file)}" alt=""></a>
<figcaption>${escaped(view)} · ${escaped(title)}${troubles.map((line) => `<pre>${escaped(line)}</pre>`).join('')}</figcaption></figure>`;

const STYLE = `body{font:14px/1.4 system-ui,sans-serif;margin:1rem;background:#ddd}h2{margin:2rem 0 .5rem}
section{display:flex;flex-wrap:wrap;gap:1rem;align-items:start}figure{margin:0;background:#fff;padding:.5rem;max-width:640px}
img{max-width:100%;max-height:900px;display:block}pre{color:#b00;white-space:pre-wrap;margin:.25rem 0}`;

/** A page with all pictures: those of one screen of one person beside each other. */
export const pageOf = (shots: readonly Shot[]): string => {
  const groups = Map.groupBy(
    shots.toSorted((a, b) => a.file.localeCompare(b.file)),
    ({ screen, viewer }) => `${screen} · ${viewer}`,
  );
  const sections = [...groups]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, some]) => `<h2>${escaped(name)}</h2><section>${some.map(figure).join('')}</section>`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Console</title><style>${STYLE}</style>${sections.join('\n')}</html>\n`;
};
