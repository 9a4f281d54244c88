import { randomUUID } from 'node:crypto';
import { type AnyCall, COMMA_SEPARATED } from '@teaching/contracts';
import { z } from 'zod';
import type { Api } from '../../../tools/proofs/test/api.ts';
import type { OneOfEach } from '../../../tools/proofs/test/one-of-each.ts';
import { FILTERS, type PreparedRequest } from './contract-requests.ts';

/** The schema of a query parameter, without what makes it optional. */
const schemaOf = (call: AnyCall, name: string): z.ZodType => {
  let schema = call.query.shape[name] as z.ZodType;
  while (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) schema = schema.unwrap() as z.ZodType;
  return schema;
};

/** Whether a parameter takes several values. */
export const isFilter = (call: AnyCall, name: string): boolean =>
  name in call.query.shape && COMMA_SEPARATED.has(schemaOf(call, name));

/** The values of a parameter that has only some: an enum, or a filter by an enum. */
export const enumValues = (call: AnyCall, name: string): string[] | undefined => {
  const schema = schemaOf(call, name);
  let inner: unknown = COMMA_SEPARATED.get(schema as never)?.item ?? schema;
  while (inner instanceof z.ZodPipe || inner instanceof z.ZodOptional)
    inner = inner instanceof z.ZodPipe ? inner.in : inner.unwrap();
  return inner instanceof z.ZodEnum ? inner.options.map(String) : undefined;
};

/** Whether a parameter names values of a field, so that it could name several. */
export const isChoice = (call: AnyCall, name: string): boolean => {
  const values = enumValues(call, name) ?? ['true'];
  return name !== 'sort' && (name.endsWith('_id') || !values.includes('true'));
};

/** Values of other parameters for which a list has no rows, or other rows than without the parameter. */
const PROBES: Readonly<Record<string, readonly string[]>> = {
  from: ['2998-01-01T00:00:00Z', '2998-01-01', '1970-01-02T00:00:00Z'],
  to: ['1970-01-02T00:00:00Z', '1970-01-02', '2998-01-01T00:00:00Z'],
  at: ['1970-01-02T00:00:00Z'],
  keyword: ['no such text'],
  min_free: ['100000'],
  min_capacity: ['100000'],
  balance_below: ['-1000000', '0', '1000000'],
  in_debt: ['true', 'false'],
  expiring_before: ['1970-01-02T00:00:00Z'],
  bom: ['true'],
  reason: ['none', 'none too'],
  entity_id: ['none', 'none too'],
  room: ['none', 'none too'],
};

/** The values with which a parameter is tried: those of its enum, or values that no row has. */
const probesOf = (call: AnyCall, name: string): readonly string[] =>
  enumValues(call, name) ?? PROBES[name] ?? [randomUUID()];

/** The answer to a read: its rows as texts, and the ids of the rows that have one. A refusal has none. */
export interface Listed {
  code: string;
  rows: readonly string[];
  ids: readonly string[];
  items: readonly Record<string, unknown>[];
}
const Answered = z.looseObject({ items: z.array(z.looseObject({ id: z.string().optional() })) });

export const list = async (api: Api, call: AnyCall, { path }: PreparedRequest, query: object): Promise<Listed> => {
  const limit = 'limit' in call.query.shape ? { limit: '100' } : {};
  const { code, body } = { body: undefined, ...(await api.outcome(call, { path, query: { ...limit, ...query } })) };
  if (code !== 'done') return { code, rows: [], ids: [], items: [] };
  const { items = [] } = Answered.safeParse(body).data ?? {};
  const rows = items.map((row) => JSON.stringify(row));
  const ids = items.map(({ id }, index) => id ?? rows[index] ?? '');
  return { code, rows: items.length === 0 ? [JSON.stringify(body)] : rows, ids, items };
};

/** The most values that are tried of one parameter. */
const MAX_VALUES = 12;

/** Valid values of a parameter: those of its enum or of rows, that of our record, and values that no row has. */
export const valuesOf = (call: AnyCall, name: string, our: OneOfEach, { items }: Listed): string[] => {
  const kind = FILTERS[name];
  const ofRows = items.flatMap((row) => [row[name]].flat()).filter((value) => typeof value === 'string');
  const values = [...(enumValues(call, name) ?? []), ...ofRows, ...(kind === undefined ? [] : [our[kind]])];
  return [...new Set([...values, ...probesOf(call, name)])]
    .filter((value) => !value.includes(',') && call.query.shape[name].safeParse(value).success)
    .slice(0, MAX_VALUES);
};
