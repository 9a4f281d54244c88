import { type AnyCall, type FieldProblem, type Input, Problem } from '@teaching/contracts';
import type { z } from 'zod';
import { compiledSchema } from '../base/compiled-schema.ts';
import { inputMessage } from './input-message.ts';

const MESSAGES = { error: inputMessage };
const decoder = new TextDecoder('utf-8', { fatal: true });

const countOf = (errors: readonly FieldProblem[]): string[] => {
  if (errors.length === 0) return [];
  return [errors.length === 1 ? '1 problem in the request' : `${errors.length} problems in the request`];
};

/**
 * The refusal of an input. Each problem is named once: several values of one filter may have the same. `headers`
 * describes problems of headers, which have no path in a document.
 */
export const invalid = (problems: readonly FieldProblem[], headers?: string): Problem => {
  const errors = [...new Map(problems.map((one) => [`${one.path} ${one.message}`, one])).values()];
  return new Problem('invalid_request', {
    detail: [...(headers === undefined ? [] : [headers]), ...countOf(errors)].join('. '),
    ...(errors.length === 0 ? {} : { errors }),
  });
};

const escape = (segment: PropertyKey): string => String(segment).replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * Converts zod issues to problems with JSON Pointers. Each unknown field is a problem of its own. A value of a filter
 * has no path of its own: the problem is that of the parameter.
 */
const fieldProblems = (issues: readonly z.core.$ZodIssue[]): FieldProblem[] =>
  issues.flatMap((issue) => {
    const path = issue.path[0] === 'query' ? issue.path.slice(0, 2) : issue.path;
    const pointer = ['', ...path.map(escape)].join('/');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: `${pointer}/${escape(key)}`, message: 'is not a known field' }));
    }
    return [{ path: pointer, message: issue.message }];
  });

const parseJson = (body: Buffer): { value: unknown } | { problem: FieldProblem } => {
  if (body.length === 0) return { value: undefined };
  let text: string;
  try {
    text = decoder.decode(body);
  } catch {
    return { problem: { path: '/body', message: 'is not valid UTF-8' } };
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: { path: '/body', message: 'is not valid JSON' } };
  }
};

/** Whether the percent-encoded bytes are UTF-8. */
const isUtf8 = (query: string): boolean => {
  if (!query.includes('%')) return true;
  try {
    decodeURIComponent(query.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
};

const parseQuery = (query: string | undefined): { value: Record<string, string>; problems: FieldProblem[] } => {
  const value: Record<string, string> = {};
  const problems: FieldProblem[] = [];
  if (query === undefined || query === '') return { value, problems };
  if (!isUtf8(query)) problems.push({ path: '/query', message: 'is not valid UTF-8' });
  for (const [key, item] of new URLSearchParams(query)) {
    if (Object.hasOwn(value, key)) problems.push({ path: `/query/${escape(key)}`, message: 'is given twice' });
    Object.defineProperty(value, key, { value: item, enumerable: true, configurable: true, writable: true });
  }
  return { value, problems };
};

/** The input of a request before it is parsed by the schemas. `body` is undefined if it is not JSON. */
export interface RawInput {
  path: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  body: unknown;
}

/** Further problems of a request, found beside those of the schemas. */
type FurtherProblems = (input: RawInput) => { errors: readonly FieldProblem[]; detail: string | undefined };
const NONE: FurtherProblems = () => ({ errors: [], detail: undefined });

/**
 * Parses path, query and body by the call's schema. Refuses with 400 and all problems of the three, and with
 * `furtherProblems`.
 */
export const parseInput = (
  call: AnyCall,
  { path = {}, query }: { path?: Record<string, string> | undefined; query?: string | undefined },
  body: Buffer,
  furtherProblems = NONE,
): Input<AnyCall> => {
  const queryValues = parseQuery(query);
  const json = parseJson(body);
  const raw = { path, query: queryValues.value, body: 'value' in json ? json.value : undefined };
  const parsed = compiledSchema(call.input).safeParse(raw, MESSAGES);
  const issues = parsed.error?.issues ?? [];
  const more = furtherProblems(raw);
  const errors = [
    ...queryValues.problems,
    ...fieldProblems('value' in json ? issues : issues.filter(({ path: [root] }) => root !== 'body')),
    ...('problem' in json ? [json.problem] : []),
    ...more.errors,
  ];
  if (errors.length > 0 || more.detail !== undefined || !parsed.success) throw invalid(errors, more.detail);
  return parsed.data;
};
