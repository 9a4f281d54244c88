import { always, p } from '@teaching/kit';

/** The name of the class of a lesson. */
export const clazzName = (alias: string) => ({
  columns: `(select name from clazz where org_id = ${alias}.org_id and id = ${alias}.clazz_id) as clazz_name`,
  shape: { clazz_name: always(p.text()) },
});
