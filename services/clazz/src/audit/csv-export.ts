import { type csvWriter, type Page, Reply, type Session } from '@teaching/kit';

/** The rows in one part of an export. The gateway requests parts until there is no next one. */
export const EXPORT_ROWS = 500;

interface ExportQuery {
  cursor?: string | undefined;
  bom?: boolean | undefined;
}

export const isCsvRequest = ({ accept }: Session): boolean => accept === 'text/csv';

/** A page of a list as one part of a CSV export. The first part is requested without a cursor. */
export const csvPage = <T extends object, P = Page<T>>(
  { items, next_cursor }: Page<T>,
  { cursor, bom }: ExportQuery,
  file: { name: string; write: ReturnType<typeof csvWriter<T>> },
): Reply<P> => {
  const isFirst = cursor === undefined;
  return new Reply<P>(file.write(items, { isFirst, bom }), {
    type: `text/csv; charset=utf-8; header=${isFirst ? 'present' : 'absent'}`,
    ...(next_cursor === null ? {} : { next: next_cursor }),
    headers: { 'content-disposition': `attachment; filename="${file.name}.csv"` },
  });
};
