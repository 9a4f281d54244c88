import { readFileSync } from 'node:fs';

/** A person to choose. */
export interface Choice {
  id: string;
  name: string;
  about: string;
}
export interface ChoiceGroup {
  /** For the address of its heading. */
  id: string;
  title: string;
  choices: readonly Choice[];
}

export const STYLE = readFileSync(new URL('login.css', import.meta.url), 'utf8');

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const safe = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${safe(title)}</title>
<link rel="stylesheet" href="/login.css">
<link rel="icon" href="data:,">
</head>
<body>
${body}
</body>
</html>
`;

const button = ({ id, name, about }: Choice): string =>
  `<li><button name="user_id" value="${safe(id)}"><strong>${safe(name)}</strong><span>${safe(about)}</span></button></li>`;

const section = ({ id, title, choices }: ChoiceGroup): string =>
  `<section aria-labelledby="${id}"><h2 id="${id}">${safe(title)}</h2>\n<ul>\n${choices.map(button).join('\n')}\n</ul></section>`;

/** The people of the school to choose from; choosing posts `user_id` to `action`. */
export const choosePage = (school: string, action: string, groups: readonly ChoiceGroup[]): string =>
  page(
    'Who are you today?',
    `<header>
<p>${safe(school)}</p>
<h1>Who are you today? <span lang="zh">你今天是谁？</span></h1>
<p>This is a demo: choose a person; no password is needed.</p>
<nav aria-label="Roles"><ul>${groups.map(({ id, title }) => `<li><a href="#${id}">${safe(title)}</a></li>`).join('')}</ul></nav>
</header>
<main><form method="post" action="${safe(action)}">
${groups.map(section).join('\n')}
</form></main>`,
  );

/** The page after an error, with a way back. */
export const errorPage = (what: string, back: string): string =>
  page(
    'That did not work',
    `<main><h1>That did not work</h1><p>${safe(what)}</p><p><a href="${safe(back)}">Back to the school</a></p></main>`,
  );
