import { notNull, bigint, p } from '@teaching/kit';

/** The generation that counts. */
export const GEN = "(select gen from generation where state = 'current')";

/** The slice of the range that an instant lies in, from 1; `bounds` is the parameter with their beginnings. */
export const sliceOf = (at: string, bounds: string): string => `width_bucket(${at}, ${bounds}::timestamptz[])`;
export const SLICE = { slice: p.integer().nullable() };
export const CLAZZ_OR_SLICE = { clazz_id: p.uuid().nullable(), ...SLICE };

interface Parts {
  clazz: string;
  at: string;
  bounds: string;
  sums: string;
  rows: string;
}

/**
 * Sums rows three ways at once: in total, for each class, and for each slice; the parameter
 * `bounds` has the beginnings of the slices. A row of a class
 * has no slice, one of a slice no class, the total neither; what belongs to no class is in the other two only.
 */
export const inParts = ({ clazz, at, bounds, sums, rows }: Parts): string =>
  `select ${clazz} as clazz_id, ${sliceOf(at, bounds)} as slice, ${sums}
   ${rows}
   group by grouping sets ((), (1), (2)) having count(*) > 0 and (grouping(${clazz}) = 1 or ${clazz} is not null)`;

/** The quarter of an hour that an instant lies in: no zone in use begins its days elsewhere. */
export const quarterOf = (at: string): string => `date_bin('15 minutes', ${at}, timestamptz 'epoch')`;

/** Some columns of a select, and what they give. */
interface Sums<K extends string, C> {
  columns: string;
  shape: Readonly<Record<K, C>>;
}

const sums = <K extends string, C>(names: readonly K[], sql: (name: K) => string, column: () => C): Sums<K, C> => ({
  columns: names.map((name) => `${sql(name)} as ${name}`).join(', '),
  shape: Object.fromEntries(names.map((name) => [name, column()])) as Record<K, C>,
});

/** How many rows there are of each kind. */
export const countsOf = <K extends string>(names: readonly K[], condition: (name: K) => string) =>
  sums(
    names,
    (name) => `count(*) filter (where ${condition(name)})::int`,
    () => notNull(p.integer()),
  );

/** Sums of counts, each under its own name. */
export const sumsOf = <K extends string>(names: readonly K[], alias: string) =>
  sums(
    names,
    (name) => `sum(${alias}.${name})::bigint`,
    () => notNull(bigint()),
  );

/** Sums of hours in whole hundredths, each under its own name. */
export const hundredthsOf = <K extends string>(names: Readonly<Record<K, string>>) =>
  sums(
    Object.keys(names) as K[],
    (name) => `(sum(${names[name]}) * 100)::bigint`,
    () => notNull(bigint()),
  );

/** The name of an erased person; an event that comes late does not restore it. */
export const ERASED = '';

/** SQL of the organization and generation of records: of the request, or of a row. */
interface Of {
  org_id: string;
  gen: string;
}
/** The records of an organization, which is a parameter, in the current generation. */
export const currentOf = (org_id: string): Of => ({ org_id, gen: GEN });

/** SQL of the name of a class by its id, once it is known; read with the rows that name it, as all of an answer is. */
export const nameOfClazz = (id: string, { org_id, gen }: Of): string =>
  `(select n.name from clazz as n where n.org_id = ${org_id} and n.gen = ${gen} and n.id = ${id})`;

/** The same of when a lesson starts or ends. */
export const timeOfLesson = (which: 'starts_at' | 'ends_at', id: string, { org_id, gen }: Of): string =>
  `(select n.${which} from lesson as n where n.org_id = ${org_id} and n.gen = ${gen} and n.id = ${id})`;

/** The same of the name of a person. */
export const nameOfPerson = (id: string, { org_id, gen }: Of): string =>
  `(select n.display_name from member as n
    where n.org_id = ${org_id} and n.gen = ${gen} and n.user_id = ${id} and n.display_name <> '${ERASED}')`;
