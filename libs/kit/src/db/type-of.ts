import { PostgreSqlPlatform } from '@mikro-orm/postgresql';
import { type Column, optionsOf } from './shape.ts';

const platform = new PostgreSqlPlatform();

/** What Postgres calls the type of a column. */
export const typeOf = (column: Column): string => {
  const options = optionsOf(column);
  const { columnType, type } = options;
  if (columnType !== undefined) return columnType;
  // Enumerated texts have no type of their own.
  if (type === undefined) return 'text';
  return (typeof type === 'function' ? new type() : type).getColumnType(options as never, platform);
};
