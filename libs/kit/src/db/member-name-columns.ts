import { notNull, p } from './columns.ts';

type NameColumn<C extends string> = C extends `${infer X}_id` ? `${X}_name` : `${C}_name`;
const NAME = p.text().nullable();
type Name = typeof NAME;

const nameOf = (column: string): string =>
  column.endsWith('_id') ? `${column.slice(0, -'_id'.length)}_name` : `${column}_name`;

/**
 * Adds the directory's names of people to a row. Each id column (`teacher_id`, `marked_by`) gets a name column
 * (`teacher_name`, `marked_by_name`), null if the directory does not know the person. `columns` goes into the select
 * list after a comma; `shape` describes the columns. The names come from the table `member` of the service, which is
 * the directory or a copy of it.
 */
export const nameColumns = <const C extends string>(
  alias: string,
  ...ids: readonly C[]
): { columns: string; shape: { readonly [K in C as NameColumn<K>]: Name } } => ({
  columns: ids
    .map(
      (id) =>
        `(select display_name from member where org_id = ${alias}.org_id and user_id = ${alias}.${id}) as ${nameOf(id)}`,
    )
    .join(', '),
  shape: Object.fromEntries(ids.map((id) => [nameOf(id), NAME])) as { readonly [K in C as NameColumn<K>]: Name },
});

type NameListColumn<C extends string> = C extends `${infer X}_ids` ? `${X}_names` : never;
const NAMES = notNull(p.array<string | null>());

/**
 * Like `nameColumns`, for a column of several ids (`assistant_ids`); the names (`assistant_names`) are in the same
 * order.
 */
export const nameListColumns = <const C extends `${string}_ids`>(
  alias: string,
  ids: C,
): { columns: string; shape: { readonly [K in C as NameListColumn<K>]: Names } } => {
  const name = `${ids.slice(0, -'_ids'.length)}_names`;
  return {
    columns: `array(select (select display_name from member where org_id = ${alias}.org_id and user_id = w.id)
      from unnest(${alias}.${ids}) with ordinality as w(id, n) order by w.n) as ${name}`,
    shape: { [name]: NAMES } as { readonly [K in C as NameListColumn<K>]: Names },
  };
};
type Names = typeof NAMES;
