import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { AnyCall } from '../../../../libs/contracts/src/index.ts';
import { isSchema, resolve, type Schema, schemaAt, listAt } from '../../../developers/contracts/schema.ts';
import type { AnyTestRequest } from '../any-request.ts';

/** The single field of a request that contains a marker. */
export interface MarkedField {
  call: string;
  part: 'path' | 'query' | 'body' | 'header';
  /** Name of the field, or of the innermost named field around it. */
  field: string;
}

const RUN = randomBytes(3).toString('hex');
const MARKER = new RegExp(`zq${RUN}[0-9a-z]{4}`, 'gi');

/** Unique texts, each for one field of one request. */
export class Markers {
  readonly #places = new Map<string, MarkedField>();

  /** Creates a marker that cannot occur by chance. */
  for(place: MarkedField): string {
    const marker = `zq${RUN}${this.#places.size.toString(36).padStart(4, '0')}`;
    this.#places.set(marker, place);
    return marker;
  }

  /** The fields whose markers occur in a text. */
  in(text: string): MarkedField[] {
    const found = new Set((text.match(MARKER) ?? []).map((marker) => marker.toLowerCase()));
    return [...found].flatMap((marker) => this.#places.get(marker) ?? []);
  }
}

type Step = string | number;
type Values = Record<string, unknown>;
interface Leaf {
  path: Step[];
  isText: boolean;
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** All scalar fields of a schema, including those of the first element of each list. */
const leavesOf = (given: Schema, root: Schema, path: Step[] = []): Leaf[] => {
  const schema = resolve(given, root);
  const options = [...listAt(schema, 'anyOf'), ...listAt(schema, 'oneOf')].filter(isSchema);
  if (options.length > 0) return options.flatMap((option) => leavesOf(option, root, path));
  if (schema['type'] === 'object')
    return Object.entries(schemaAt(schema, 'properties')).flatMap(([name, field]) =>
      isSchema(field) ? leavesOf(field, root, [...path, name]) : [],
    );
  if (schema['type'] === 'array') return leavesOf(schemaAt(schema, 'items'), root, [...path, 0]);
  if (schema['type'] === 'null' || path.length === 0) return [];
  return [{ path, isText: schema['type'] === 'string' && !('enum' in schema) && !('const' in schema) }];
};

const withValue = (value: unknown, [step, ...rest]: Step[], leaf: unknown): unknown => {
  if (step === undefined) return leaf;
  if (typeof step === 'number') {
    const list: unknown[] = Array.isArray(value) ? value : [];
    return [withValue(list[0], rest, leaf), ...list.slice(1)];
  }
  const fields = isObject(value) ? value : {};
  return { ...fields, [step]: withValue(fields[step], rest, leaf) };
};

const fieldAt = (path: readonly Step[]): string => String(path.findLast((step) => typeof step === 'string'));
const isReference = (field: string): boolean => /_ids?$/.test(field) || field === 'id';

const bodyLeaves = (call: AnyCall): Leaf[] => {
  const schema = z.toJSONSchema(call.body, { io: 'input', unrepresentable: 'any' }) as Schema;
  return leavesOf(schema, schema);
};

/** Forms of a marker as text, email address and link. */
const formsOf = (marker: string): string[] => [marker, `${marker}@example.org`, `https://example.org/${marker}`];

/** The request with a marker in every text field that accepts one and is no reference. */
export const markedRequest = (
  markers: Markers,
  call: AnyCall,
  { path, query = {}, body }: AnyTestRequest,
): AnyTestRequest => {
  let filled = body ?? {};
  for (const leaf of bodyLeaves(call)) {
    const field = fieldAt(leaf.path);
    if (!leaf.isText || isReference(field)) continue;
    const forms = formsOf(markers.for({ call: call.id, part: 'body', field }));
    const accepted = forms
      .map((form) => withValue(filled, leaf.path, form))
      .find((candidate) => call.body.safeParse(candidate).success);
    filled = accepted ?? filled;
  }
  const markedQuery: Values = { ...query };
  for (const name of Object.keys(call.query.shape)) {
    const marker = markers.for({ call: call.id, part: 'query', field: name });
    if (!isReference(name) && name !== 'cursor' && call.query.shape[name].safeParse(marker).success)
      markedQuery[name] = marker;
  }
  return { path, query: markedQuery, body: body === undefined ? undefined : filled };
};

/** A request with a marker in place of every value, whatever its type, so it is invalid. */
export const wrongRequest = (markers: Markers, call: AnyCall): AnyTestRequest => {
  const all = (part: 'path' | 'query', names: readonly string[]): Values =>
    Object.fromEntries(names.map((field) => [field, markers.for({ call: call.id, part, field })]));
  let body: unknown = {};
  for (const { path } of bodyLeaves(call))
    body = withValue(body, path, markers.for({ call: call.id, part: 'body', field: fieldAt(path) }));
  return {
    path: all('path', Object.keys(call.path.shape)),
    query: all('query', Object.keys(call.query.shape)),
    body: call.writes ? body : undefined,
  };
};

/** Headers that the gateway reads or that browsers and proxies send. */
const HEADERS =
  'idempotency-key if-match if-none-match x-request-id x-consistency-token traceparent tracestate user-agent referer cookie origin accept-language x-forwarded-for forwarded prefer'.split(
    ' ',
  );
export const markedHeaders = (markers: Markers, call: string, but: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(
    HEADERS.filter((name) => !but.includes(name)).map((field) => [field, markers.for({ call, part: 'header', field })]),
  );
