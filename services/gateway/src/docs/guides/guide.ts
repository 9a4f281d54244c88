import type { AnyCall, ChangeKind, EventDef } from '@teaching/contracts';

/** A worked example: one request, and the fields of its response that matter. */
export interface Example {
  /** One sentence: what the request does. */
  text: string;
  call: AnyCall;
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  /** Part of the response body. Of a stream, the data of one event. */
  response: unknown;
}

/** The introduction to the resource of one tag. Its parts become the description of the tag, in this order. */
export interface Guide {
  whatItIs: string;
  /** How records begin, change and end. */
  lifeCycle: string;
  /** What each role may do. */
  roles: string;
  /** Effects of a change: charges, other records, the audit log. */
  effects: string;
  /** Events that the calls of the tag can publish. */
  events: readonly EventDef[];
  /** Kinds of change notices that the calls of the tag can cause. */
  changes: readonly ChangeKind[];
  example: Example;
}

/** The bold words at the beginning of each part, in order. */
export const LEAD_INS = ['What it is', 'Life cycle', 'Roles', 'What happens next', 'Example'] as const;

const BASE_URL = 'https://api.example.org';

/** A quoted argument of a shell command. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const urlOf = ({ call, path = {}, query = {} }: Example): string => {
  const filled = (call.http?.path ?? '').replaceAll(/\{(\w+)\}/g, (_all, name: string) => path[name] ?? '');
  const search = new URLSearchParams(query).toString();
  return `${BASE_URL}${filled}${search === '' ? '' : `?${search}`}`;
};

const curl = (example: Example): string => {
  const { method = 'GET' } = example.call.http ?? {};
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(urlOf(example))}`,
    '-H "Authorization: Bearer $TOKEN"',
    ...(example.body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(example.body))}`]),
  ];
  return ['```sh', parts.join(' \\\n  '), '```'].join('\n');
};

const responseOf = ({ call, response }: Example): string =>
  call.also === 'text/event-stream'
    ? ['An event of the stream:', '', '```', 'event: change', `data: ${JSON.stringify(response)}`, '```'].join('\n')
    : [`Response ${call.status}, in part:`, '', '```json', JSON.stringify(response, null, 2), '```'].join('\n');

const listOf = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((name) => `\`${name}\``).join(', ');

const effectsOf = ({ effects, events, changes }: Guide): string =>
  `${effects} Events: ${listOf(events.map(({ type }) => type))}. Change notices: ${listOf(changes)}.`;

/** The guide as Markdown, with one paragraph for each part. */
export const toMarkdown = (guide: Guide): string => {
  const { whatItIs, lifeCycle, roles, example } = guide;
  return [whatItIs, lifeCycle, roles, effectsOf(guide), example.text]
    .map((text, index) => `**${LEAD_INS[index]}.** ${text}`)
    .concat(curl(example), responseOf(example))
    .join('\n\n');
};
