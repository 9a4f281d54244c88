import { containsPattern, type Filter } from '@teaching/kit';

/** Keyword condition on a lower-cased `search` column; an empty keyword finds everything. */
export const keywordFilter = (keyword: string | undefined): Filter[] =>
  keyword === undefined || keyword === '' ? [] : [['search like lower(?)', containsPattern(keyword)]];

/** One condition for each filter that is given. `columns` are code, values are parameters. */
export const equals = (values: Readonly<Record<string, string | undefined>>): Filter[] =>
  Object.entries(values).flatMap(([column, value]): Filter[] =>
    value === undefined ? [] : [[`${column} = ?`, value]],
  );
