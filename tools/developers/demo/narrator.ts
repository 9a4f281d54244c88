import { readable } from './shorten-json.ts';

/** The output of the scenario. */
export type Out = (line: string) => void;

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
type Style = keyof typeof STYLES;

export interface Narrator {
  chapter: (title: string) => void;
  say: (sentence: string) => void;
  /** A fetch that prints request and response, with the acting person. */
  telling: (who: string) => typeof fetch;
  good: (text: string) => string;
  bad: (text: string) => string;
}

const INDENT = '      ';

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** Prints the scenario on `out`, in colour on a terminal only. */
export const createNarrator = (out: Out, colours: boolean): Narrator => {
  const paint = (style: Style, text: string): string => (colours ? `\u001B[${STYLES[style]}m${text}\u001B[0m` : text);
  let chapters = 0;

  const telling =
    (who: string): typeof fetch =>
    async (input, init) => {
      const request = new Request(input, init);
      const { pathname, search } = new URL(request.url);
      const query = decodeURIComponent(search);
      const sent = init?.body;
      out(`  ${paint('cyan', request.method)} ${pathname}${query}  ${paint('dim', `as ${who}`)}`);
      if (typeof sent === 'string') out(`    ${paint('dim', '→')} ${readable(jsonOf(sent), INDENT)}`);
      const response = await fetch(request);
      const text = await response.clone().text();
      const status = paint(response.ok ? 'green' : 'yellow', String(response.status));
      out(`    ${paint('dim', '←')} ${status} ${text === '' ? '' : readable(jsonOf(text), INDENT)}`);
      return response;
    };

  return {
    chapter: (title) => {
      chapters += 1;
      out(`\n${paint('bold', `${chapters}. ${title}`)}`);
    },
    say: (sentence) => out(`\n${sentence}`),
    telling,
    good: (text) => paint('green', text),
    bad: (text) => paint('red', text),
  };
};
