import type { CourseCategory, courseCategoryCalls } from '@teaching/contracts';
import { containsPattern, type Filter, type Handler, pagedList } from '@teaching/kit';
import { equals } from '../shared/list.ts';
import { CATEGORY } from './category.table.ts';

const list = pagedList<CourseCategory, 'name' | 'created_at' | 'updated_at'>({
  columns: CATEGORY.columns,
  from: CATEGORY.name,
  sorts: {
    name: { by: 'name', type: 'text' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
  },
});

export const listCategories: Handler<typeof courseCategoryCalls.list> = ({ query }, session) => {
  const { keyword, parent_id } = query;
  const named: Filter[] =
    keyword === undefined || keyword === '' ? [] : [['lower(name) like lower(?)', containsPattern(keyword)]];
  return list(session, query, [['org_id = ?', session.org_id], ...equals({ parent_id }), ...named]);
};
