import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type AnyCall, allEvents, type Calls, type EventDef, operations } from '../../../libs/contracts/src/index.ts';
import { OWN_CHECKS } from './schema.ts';
import type { Side } from './change-texts.ts';

export const RECORD_FILE = fileURLToPath(new URL('../../../libs/contracts/contracts.json', import.meta.url));

const Schema = z.record(z.string(), z.json());

const RecordedCall = z.strictObject({
  /** Its operation id: its name in generated clients. */
  operation: z.string(),
  route: z.string(),
  who: z.union([z.string(), z.array(z.string())]),
  /** The access of each role: everything, or by which rules. */
  whose: z.record(z.string(), z.union([z.literal('all'), z.array(z.string())])).default({}),
  status: z.int(),
  /** Its own error codes, and the content type of its other answer. */
  errors: z.array(z.string()),
  also: z.string().nullable(),
  input: z.strictObject({ path: Schema, query: Schema, body: Schema }),
  output: Schema,
});
export type RecordedCall = z.output<typeof RecordedCall>;

/** Both sides: `output` for subscribers, `input` for a rebuild from the history. */
const RecordedEvent = z.strictObject({ replaced_by: z.string().nullable(), input: Schema, output: Schema });
export type RecordedEvent = z.output<typeof RecordedEvent>;

/** Contracts that outsiders and the history rely on: calls with a route, and events. */
const Contracts = z.strictObject({
  calls: z.record(z.string(), RecordedCall),
  events: z.record(z.string(), RecordedEvent),
});
export type Contracts = z.output<typeof Contracts>;

/** A schema as it is recorded: JSON Schema, and the number of checks in code (`refine`) of each field. */
export const schemaOf = (type: z.ZodType, io: Side): z.output<typeof Schema> => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(type, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const own = zodSchema._zod.def.checks?.filter((check) => check._zod.def.check === 'custom') ?? [];
      if (own.length > 0) jsonSchema[OWN_CHECKS] = own.length;
    },
  });
  return Schema.parse(JSON.parse(JSON.stringify(rest)));
};

/** The schema of the body. Rules over path and body count as checks in code of the body. */
const bodyOf = ({ input, body }: AnyCall): z.output<typeof Schema> => {
  const [rules, own] = [input, body].map((type) => Number(schemaOf(type, 'input')[OWN_CHECKS] ?? 0));
  const checks = (rules ?? 0) + (own ?? 0);
  return { ...schemaOf(body, 'input'), ...(checks > 0 ? { [OWN_CHECKS]: checks } : {}) };
};

const recordOf = (operation: string, call: AnyCall, route: string): RecordedCall => ({
  operation,
  route,
  who: typeof call.roles === 'string' ? call.roles : [...call.roles],
  whose: Object.fromEntries(
    Object.entries(call.access ?? {}).map(([role, rules]) => [role, rules === 'all' ? rules : [...rules]]),
  ),
  status: call.status,
  errors: call.errors.toSorted(),
  also: call.other_type,
  input: {
    path: schemaOf(call.path, 'input'),
    query: schemaOf(call.query, 'input'),
    body: bodyOf(call),
  },
  output: schemaOf(call.output, 'output'),
});

export const contractsOf = (calls: Calls, events: readonly EventDef[]): Contracts => ({
  calls: Object.fromEntries(
    Object.entries(calls).flatMap(([operation, call]) =>
      call.http === null ? [] : [[call.id, recordOf(operation, call, `${call.http.method} ${call.http.path}`)]],
    ),
  ),
  events: Object.fromEntries(
    events.map(({ type, replaced_by, data }) => [
      type,
      { replaced_by, input: schemaOf(data, 'input'), output: schemaOf(data, 'output') },
    ]),
  ),
});

export const currentContracts = (): Contracts => contractsOf(operations, allEvents);

export const recordedContracts = (file = RECORD_FILE): Contracts =>
  Contracts.parse(JSON.parse(readFileSync(file, 'utf8')));
