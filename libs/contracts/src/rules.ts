import { z } from 'zod';

/** The position of a field below the schema that a rule belongs to. */
type Path = readonly (string | number)[];

/** An issue of a rule, not of a field. */
const OF_RULE = { rule: true };
interface Issue {
  code?: string | undefined;
  path?: readonly PropertyKey[] | undefined;
  params?: Record<string, unknown> | undefined;
}

/**
 * The `when` of a check: these fields are valid, and so is their container. Unknown fields and the problems of other
 * rules do not matter.
 */
export const areValid =
  (fields: readonly string[]) =>
  ({ issues }: { issues: readonly Issue[] }): boolean =>
    issues.every(({ code, path: [first] = [], params }) => {
      if (first === undefined) return code === 'unrecognized_keys';
      return params === OF_RULE || !fields.includes(String(first));
    });

/**
 * A rule over several fields of an object. It is also checked when other fields are wrong, so that one answer names all
 * problems: a plain `refine` is skipped then. `fields` are those that the rule reads.
 */
export const rule = <T>(
  fields: readonly (keyof T & string)[],
  isKept: (value: T) => boolean,
  problem: { path: keyof T & string; message: string | ((value: T) => string) },
): z.core.$ZodCheck<T> =>
  z.superRefine<T>(
    (value, context) => {
      if (isKept(value)) return;
      const message = typeof problem.message === 'string' ? problem.message : problem.message(value);
      context.addIssue({ code: 'custom', path: [problem.path], message, params: OF_RULE });
    },
    { when: areValid(fields) },
  );

type Range<V> = { from?: V | null | undefined; to?: V | null | undefined };

/** A range of instants from `from` until before `to`: it must not be empty. An open end is not checked. */
export const nonEmptyRange: z.core.$ZodCheck<Range<string>> = rule(
  ['from', 'to'],
  ({ from, to }: Range<string>) => from == null || to == null || from < to,
  { path: 'to', message: 'must be after from' },
);

/** A range of local days, both included. An open end is not checked. */
export const orderedDays: z.core.$ZodCheck<Range<string>> = rule(
  ['from', 'to'],
  ({ from, to }: Range<string>) => from == null || to == null || from <= to,
  { path: 'to', message: 'must not be before from' },
);

type Days = { starts_on?: string | null | undefined; ends_on?: string | null | undefined };
export const ENDS_BEFORE_START = 'must not be before starts_on';
/** The first and the last day of a record, where a request contains both. */
export const daysInOrder: z.core.$ZodCheck<Days> = rule(
  ['starts_on', 'ends_on'],
  ({ starts_on, ends_on }: Days) => starts_on == null || ends_on == null || starts_on <= ends_on,
  { path: 'ends_on', message: ENDS_BEFORE_START },
);

/** The `when` of a check of a list: also when entries are wrong. */
export const isList = ({ value }: { value: unknown }): boolean => Array.isArray(value);

/**
 * A list that contains each id once. `idOf` returns the id of an entry, `at` the position of the id in the entry. Every
 * further entry with the same id is a problem of its own, also when other entries are wrong.
 */
export const distinct = <E>(
  idOf: (entry: E) => string | null | undefined,
  at: Path = [],
  message = 'is named twice',
): z.core.$ZodCheck<E[]> =>
  z.superRefine<E[]>(
    (entries, context) => {
      const seen = new Set<string>();
      for (const [index, entry] of entries.entries()) {
        const id = entry == null ? undefined : idOf(entry);
        if (typeof id !== 'string') continue;
        if (seen.has(id)) context.addIssue({ code: 'custom', path: [index, ...at], message });
        seen.add(id);
      }
    },
    { when: isList },
  );

/** A list of ids that contains each id once. */
export const eachOnce = distinct((id: string) => id);

/** The values at a field, with their positions. `*`: every entry of a list. */
const valuesAt = (
  value: unknown,
  [first, ...rest]: readonly string[],
  path: Path = [],
): { value: unknown; path: Path }[] => {
  if (first === undefined) return [{ value, path }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([key]) => first === '*' || first === key)
    .flatMap(([key, part]: [string, unknown]) => valuesAt(part, rest, [...path, key]));
};

/** A rule over path and body: the ids at a field of the body are others than the id in the path. */
export const otherThanPath = (
  parameter: string,
  field: readonly string[],
  message: string,
): z.core.$ZodCheck<unknown> =>
  z.superRefine<unknown>(
    (input, context) => {
      const [own] = valuesAt(input, ['path', parameter]);
      for (const { value, path } of valuesAt(input, ['body', ...field])) {
        if (value === own?.value) context.addIssue({ code: 'custom', path: [...path], message });
      }
    },
    { when: ({ issues }) => !issues.some(({ path }) => path?.[0] === 'path' && path[1] === parameter) },
  );
