import type { z } from 'zod';
import { several } from './page.ts';
import { optional } from './scalars.ts';

/** One field of a record that clients set. */
interface Field {
  /** Schema of the value in requests. */
  input: z.ZodType;
  /** Schema of the value in the database, in responses and in events. An optional input has the same description. */
  output: z.ZodType;
  /**
   * The value when the field is omitted or `null`. A field without this member is required. `undefined`: the service
   * provides the default.
   */
  default?: unknown;
  /** Description of the list filter by this field. Absent: lists have no such filter. */
  filter?: string;
}
type FieldMap = Readonly<Record<string, Field>>;

type Keys<F extends FieldMap, O extends boolean> = {
  [K in keyof F]: 'default' extends keyof F[K] ? (O extends true ? K : never) : O extends true ? never : K;
}[keyof F];
/** Fields whose default the service provides. */
type ServiceDefaulted<F extends FieldMap> = {
  [K in Keys<F, true>]: F[K] extends { default: undefined } ? K : never;
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
/** The stored values of the fields. */
export type Stored<F extends FieldMap> = { [K in keyof F]: z.output<F[K]['output']> };
type ServiceDefaults<F extends FieldMap> = { [K in ServiceDefaulted<F>]: Stored<F>[K] };

/** The fields of a record that clients set, each declared once. */
export interface Fields<F extends FieldMap> {
  /** Members of the request that creates a record. Fields with a default are optional. */
  readonly create: Create<F>;
  /** Members of the request that changes a record. An omitted field keeps its value. */
  readonly patch: Patch<F>;
  /** Members of the record itself. */
  readonly output: Outputs<F>;
  /** Query members of a list: the fields that have a filter. */
  readonly filters: Filters<F>;
  /** All fields of a new record. `more` contains the defaults that the service provides. */
  filled(given: z.output<z.ZodObject<Create<F>>>, more: ServiceDefaults<F>): Stored<F>;
  /** All fields of a changed record. */
  patched(current: Stored<F>, given: z.output<z.ZodObject<Patch<F>>>, more: ServiceDefaults<F>): Stored<F>;
}

/** Declares the fields of a record. */
export const fields = <const F extends FieldMap>(declared: F): Fields<F> => {
  const all = Object.entries<Field>(declared);
  const shape = (of: (field: Field) => z.ZodType) => Object.fromEntries(all.map(([name, field]) => [name, of(field)]));
  const names = Object.keys(declared);
  const defaults = Object.fromEntries(all.map(([name, field]) => [name, field.default]));
  const isOptional = (field: Field): boolean => 'default' in field;
  const optionalInput = ({ input, output: { description } }: Field): z.ZodType =>
    description === undefined ? optional(input) : optional(input).meta({ description });
  type Values = Readonly<Record<string, unknown>>;
  const defaultOf = (name: string, more: Values): unknown => (name in more ? more[name] : defaults[name]);
  /** Assigns in a loop: large lists are built this way, and `Object.fromEntries` is several times slower. */
  const build = (of: (name: string) => unknown): Values => {
    const values: Record<string, unknown> = {};
    for (const name of names) values[name] = of(name);
    return values;
  };
  return {
    create: shape((field) => (isOptional(field) ? optionalInput(field) : field.input)),
    patch: shape((field) => (isOptional(field) ? optionalInput(field) : field.input.optional())),
    output: shape((field) => field.output),
    filters: Object.fromEntries(
      all.flatMap(([name, { input, filter }]) =>
        filter === undefined ? [] : [[name, several(input).optional().meta({ description: filter })]],
      ),
    ),
    filled: (given: Values, more: Values) => build((name) => given[name] ?? defaultOf(name, more)),
    patched: (current: Values, given: Values, more: Values) =>
      build((name) => (given[name] === undefined ? current[name] : (given[name] ?? defaultOf(name, more)))),
  } as unknown as Fields<F>;
};
