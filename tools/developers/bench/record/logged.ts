import { z } from 'zod';

/** A line of Postgres' log as JSON, as far as it is of use here. */
const Line = z.object({
  user: z.string().optional(),
  session_id: z.string().optional(),
  message: z.string().default(''),
  detail: z.string().default(''),
});

/** A statement as a process sent it. */
export interface Logged {
  role: string;
  session: string;
  /** Of a prepared statement; empty where it has none. */
  name: string;
  text: string;
  values: (string | null)[];
}

const SENT = /^(?:statement|execute (?<name>\S+?)): (?<text>.*)$/s;
const PARAMETER = /\$\d+ = (?:(?<none>NULL)|'(?<value>(?:[^']|'')*)')/g;

/** What stands behind `Parameters:`, in their order. */
const valuesIn = (detail: string): (string | null)[] =>
  Array.from(detail.matchAll(PARAMETER), ({ groups }) =>
    groups?.['none'] === undefined ? (groups?.['value'] ?? '').replaceAll("''", "'") : null,
  );

/** The statement that a line tells of, if it does. */
export const loggedIn = (line: string): Logged | undefined => {
  const { user = '', session_id: session = '', message, detail } = Line.parse(JSON.parse(line));
  const { name = '', text } = SENT.exec(message)?.groups ?? {};
  if (text === undefined) return undefined;
  return { role: user, session, name: name === '<unnamed>' ? '' : name, text, values: valuesIn(detail) };
};
