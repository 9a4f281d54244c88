import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { inject } from 'vitest';
import type { Answer } from './http.ts';

interface Response {
  $ref?: string;
  content?: Record<string, { schema: object }>;
}
type Operations = Record<string, { responses: Record<string, Response> }>;
interface Document {
  paths: Record<string, Operations>;
  components: { responses: Record<string, Response>; schemas: Record<string, object> };
}

/** Statuses that may occur before the operation is known. */
const GENERAL = new Set([408, 414, 431]);

const escape = (segment: string): string => segment.replaceAll('~', '~0').replaceAll('/', '~1');
const byLength = (one: string, other: string): number =>
  one.replaceAll(/[^{]/g, '').length - other.replaceAll(/[^{]/g, '').length;

/** Returns a function that compares answers with an API document: status, content type and body. */
export const readerOf = (document: Document) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, inlineRefs: false });
  ajv.addSchema({ $id: 'api.json', ...document });
  const checks = new Map<string, ValidateFunction>();
  // When several paths match, the one with the fewest parameters applies.
  const patterns = Object.keys(document.paths)
    .toSorted(byLength)
    .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));

  const validator = (pointer: string): ValidateFunction => {
    const check = checks.get(pointer) ?? ajv.compile({ $ref: `api.json#${pointer}` });
    checks.set(pointer, check);
    return check;
  };

  /** The fault of an answer by the document; `undefined` when it has none or the document does not describe it. */
  return ({ request: { method, path }, status, headers, body }: Answer): string | undefined => {
    const bare = path.replace(/\?.*$/s, '');
    const found = patterns.find(({ pattern }) => pattern.test(bare))?.path;
    const verb = method.toLowerCase();
    const operation = found === undefined ? undefined : document.paths[found]?.[verb];
    if (found === undefined || operation === undefined || GENERAL.has(status)) return undefined;
    const declared = operation.responses[String(status)];
    if (declared === undefined) return `the document has no ${status} at ${method} ${found}`;
    const name = declared.$ref?.slice('#/components/responses/'.length);
    const response = name === undefined ? declared : document.components.responses[name];
    const at =
      name === undefined ? `/paths/${escape(found)}/${verb}/responses/${status}` : `/components/responses/${name}`;
    const media = (headers.get('content-type') ?? '').split(';')[0] ?? '';
    if (response?.content === undefined) return body === '' ? undefined : `the document has no body at ${at}`;
    if (response.content[media] === undefined) return `the document has no ${media} at ${at}`;
    if (!media.endsWith('json')) return undefined;
    const check = validator(`${at}/content/${escape(media)}/schema`);
    return check(body) ? undefined : `by the document, ${ajv.errorsText(check.errors)}`;
  };
};

let reader: ReturnType<typeof readerOf> | undefined;

/** The fault of an answer by the API document of this test run, if any. */
export const againstDocument = (answer: Answer): string | undefined => {
  reader ??= readerOf(JSON.parse(readFileSync(inject('document'), 'utf8')) as Document);
  return reader(answer);
};
