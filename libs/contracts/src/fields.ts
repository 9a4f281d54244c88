import type { z } from 'zod';
import { several } from './page.ts';
import { optional } from './scalars.ts';

/** One field of a record that callers set. */
interface Field {
  /** What they may send. */
  input: z.ZodType;
  /** How it is stored, answered and published. Its description is that of the optional input, too. */
  output: z.ZodType;
  /** What it is when it is left out, and again after `null`. A field without must be sent; one with `undefined` gets it where it is used. */
  standard?: unknown;
  /** Lists can be filtered by its values, given as text: the description of that filter. */
  filter?: string;
}
type FieldMap = Readonly<Record<string, Field>>;

type Keys<F extends FieldMap, O extends boolean> = {
  [K in keyof F]: 'standard' extends keyof F[K] ? (O extends true ? K : never) : O extends true ? never : K;
}[keyof F];
/** Fields whose standard depends on more than the contract knows. */
type Open<F extends FieldMap> = {
  [K in Keys<F, true>]: F[K] extends { standard: undefined } ? K : never;
}[Keys<F, true>];

type Optional<T extends z.ZodType> = ReturnType<typeof optional<T>>;
type Create<F extends FieldMap> = { [K in keyof F]: K extends Keys<F, true> ? Optional<F[K]['input']> : F[K]['input'] };
type Patch<F extends FieldMap> = {
  [K in keyof F]: K extends Keys<F, true> ? Optional<F[K]['input']> : z.ZodOptional<F[K]['input']>;
};
type Filters<F extends FieldMap> = {
  [K in keyof F as F[K] extends { filter: string } ? K : never]: z.ZodOptional<
    ReturnType<typeof several<F[K]['input']>>
  >;
};
type Outputs<F extends FieldMap> = { [K in keyof F]: F[K]['output'] };
/** The fields as they are stored. */
export type Stored<F extends FieldMap> = { [K in keyof F]: z.output<F[K]['output']> };
type Standards<F extends FieldMap> = { [K in Open<F>]: Stored<F>[K] };

/** The fields of a record that callers set, each declared once. */
export interface Fields<F extends FieldMap> {
  /** Members of the request that creates a record: what has a standard may be left out. */
  readonly create: Create<F>;
  /** Members of the request that changes one: what is left out stays. */
  readonly patch: Patch<F>;
  /** Members of the record itself. */
  readonly output: Outputs<F>;
  /** Members of the query of a list: the fields that have a filter. */
  readonly filters: Filters<F>;
  /** All fields of a new record; `more` are the standards that the contract does not know. */
  filled(given: z.output<z.ZodObject<Create<F>>>, more: Standards<F>): Stored<F>;
  /** All fields of a changed record. */
  patched(current: Stored<F>, given: z.output<z.ZodObject<Patch<F>>>, more: Standards<F>): Stored<F>;
}

export const fields = <const F extends FieldMap>(declared: F): Fields<F> => {
  const all = Object.entries<Field>(declared);
  const shape = (of: (field: Field) => z.ZodType) => Object.fromEntries(all.map(([name, field]) => [name, of(field)]));
  const names = Object.keys(declared);
  const standards = Object.fromEntries(all.map(([name, field]) => [name, field.standard]));
  const isFree = (field: Field): boolean => 'standard' in field;
  const optionalInput = ({ input, output: { description } }: Field): z.ZodType =>
    description === undefined ? optional(input) : optional(input).meta({ description });
  type Values = Readonly<Record<string, unknown>>;
  const standardOf = (name: string, more: Values): unknown => (name in more ? more[name] : standards[name]);
  /** One by one: lists of items are made this way, and entries for each would cost several times as much. */
  const made = (of: (name: string) => unknown): Values => {
    const values: Record<string, unknown> = {};
    for (const name of names) values[name] = of(name);
    return values;
  };
  return {
    create: shape((field) => (isFree(field) ? optionalInput(field) : field.input)),
    patch: shape((field) => (isFree(field) ? optionalInput(field) : field.input.optional())),
    output: shape((field) => field.output),
    filters: Object.fromEntries(
      all.flatMap(([name, { input, filter }]) =>
        filter === undefined ? [] : [[name, several(input).optional().meta({ description: filter })]],
      ),
    ),
    filled: (given: Values, more: Values) => made((name) => given[name] ?? standardOf(name, more)),
    patched: (current: Values, given: Values, more: Values) =>
      made((name) => (given[name] === undefined ? current[name] : (given[name] ?? standardOf(name, more)))),
  } as unknown as Fields<F>;
};
