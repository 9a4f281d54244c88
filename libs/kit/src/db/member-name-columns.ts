import { always, p } from './columns.ts';

type Beside<C extends string> = C extends `${infer X}_id` ? `${X}_name` : `${C}_name`;
const NAME = p.text().nullable();
type Name = typeof NAME;

const nameOf = (column: string): string =>
  column.endsWith('_id') ? `${column.slice(0, -'_id'.length)}_name` : `${column}_name`;

/**
 * What the directory calls people whose ids a row has: for each column of an id (`teacher_id`, `marked_by`) one more
 * beside it (`teacher_name`, `marked_by_name`), null where the directory does not know the person. `columns` go into the
 * select list of the statement that reads the row, behind a comma; `shape` is what they are. The service keeps the
 * directory, or what it was told of it, in its table `member`.
 */
export const nameColumns = <const C extends string>(
  alias: string,
  ...ids: readonly C[]
): { columns: string; shape: { readonly [K in C as Beside<K>]: Name } } => ({
  columns: ids
    .map(
      (id) =>
        `(select display_name from member where org_id = ${alias}.org_id and user_id = ${alias}.${id}) as ${nameOf(id)}`,
    )
    .join(', '),
  shape: Object.fromEntries(ids.map((id) => [nameOf(id), NAME])) as { readonly [K in C as Beside<K>]: Name },
});

type BesideAll<C extends string> = C extends `${infer X}_ids` ? `${X}_names` : never;
const NAMES = always(p.array<string | null>());

/** As `names`, beside a column of several ids (`assistant_ids`), in their order (`assistant_names`). */
export const nameListColumns = <const C extends `${string}_ids`>(
  alias: string,
  ids: C,
): { columns: string; shape: { readonly [K in C as BesideAll<K>]: Names } } => {
  const name = `${ids.slice(0, -'_ids'.length)}_names`;
  return {
    columns: `array(select (select display_name from member where org_id = ${alias}.org_id and user_id = w.id)
      from unnest(${alias}.${ids}) with ordinality as w(id, n) order by w.n) as ${name}`,
    shape: { [name]: NAMES } as { readonly [K in C as BesideAll<K>]: Names },
  };
};
type Names = typeof NAMES;
