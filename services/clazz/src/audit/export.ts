import { type Page, Reply } from '@teaching/kit';

/** Rows of one message of an export; the gateway asks for the next until there is none. */
export const EXPORT_ROWS = 500;

/** A page of a list as a part of its export; `cursor` is the one it was asked with, and the first part has none. */
export const exported = <T, P = Page<T>>(
  { items, next_cursor }: Page<T>,
  cursor: string | undefined,
  file: { name: string; toCsv: (rows: readonly T[], header: boolean) => string },
): Reply<P> =>
  new Reply<P>(file.toCsv(items, cursor === undefined), {
    type: 'text/csv; charset=utf-8',
    ...(next_cursor === null ? {} : { next: next_cursor }),
    headers: { 'content-disposition': `attachment; filename="${file.name}.csv"` },
  });
