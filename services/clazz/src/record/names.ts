import { p } from '@mikro-orm/postgresql';

type Beside<C extends string> = C extends `${infer X}_id` ? `${X}_name` : `${C}_name`;
const NAME = p.text().nullable();
type Name = typeof NAME;

const nameOf = (column: string): string =>
  column.endsWith('_id') ? `${column.slice(0, -'_id'.length)}_name` : `${column}_name`;

/**
 * What the directory calls people whose ids a row has: for each column of an id (`teacher_id`, `marked_by`) one more
 * beside it (`teacher_name`, `marked_by_name`), null where the directory does not know the person. `columns` go into the
 * select list of the statement that reads the row, behind a comma; `shape` is what they are.
 */
export const names = <const C extends string>(
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
