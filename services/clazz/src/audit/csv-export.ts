import { Problem } from '@teaching/contracts';
import { type csvWriter, type Page, Reply, type Session } from '@teaching/kit';

/** The rows in one part of an export. The gateway requests parts until there is no next one. */
export const EXPORT_ROWS = 500;

interface ExportQuery {
  cursor?: string | undefined;
  bom?: boolean | undefined;
}

/** Whether the answer is CSV. 400 for `bom` with JSON, where it has no effect. */
export const isCsvRequest = ({ accept }: Session, { bom }: ExportQuery): boolean => {
  const csv = accept === 'text/csv';
  if (csv || bom === undefined) return csv;
  const errors = [{ path: '/query/bom', message: 'applies to CSV only: send Accept: text/csv' }];
  throw new Problem('invalid_request', { errors });
};

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
