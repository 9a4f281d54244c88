import { p } from '@mikro-orm/postgresql';
import { always } from '@teaching/kit';

export { names } from '@teaching/kit';

type BesideAll<C extends string> = C extends `${infer X}_ids` ? `${X}_names` : never;
const NAMES = always(p.array<string | null>().columnType('text[]').$type<(string | null)[]>());

/** As `names`, beside a column of several ids (`assistant_ids`), in their order (`assistant_names`). */
export const namesOfAll = <const C extends `${string}_ids`>(
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

/** The name of the class of a lesson. */
export const clazzName = (alias: string) => ({
  columns: `(select name from clazz where org_id = ${alias}.org_id and id = ${alias}.clazz_id) as clazz_name`,
  shape: { clazz_name: always(p.text()) },
});
