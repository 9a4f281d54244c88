import type { packageCalls, Package } from '@teaching/contracts';
import { containsPattern, type Filter, type Handler, isStaff, pagedList } from '@teaching/kit';
import { LISTED_COLUMNS } from './package.table.ts';

const list = pagedList<
  Omit<Package, 'published_snapshot'>,
  'title' | 'price_minor' | 'created_at' | 'updated_at' | 'published_at'
>({
  columns: LISTED_COLUMNS,
  from: 'course_package',
  sorts: {
    title: { by: 'title', type: 'text' },
    price_minor: { by: 'price_minor', type: 'bigint' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
    published_at: { by: "coalesce(published_at, '-infinity')", type: 'timestamptz' },
  },
});

const keywordFilter = (keyword: string | undefined): Filter[] =>
  keyword === undefined || keyword === '' ? [] : [['search like lower(?)', containsPattern(keyword)]];

export const listMyPackages: Handler<typeof packageCalls.listMy> = ({ query }, session) =>
  list(session, query, [
    ['org_id = ?', session.org_id],
    ['teacher_id = ?', session.caller.user_id],
    ...keywordFilter(query.keyword),
  ]);

export const listOrgPackages: Handler<typeof packageCalls.listOrg> = ({ query }, session) => {
  const onSale: Filter[] = isStaff(session.caller) ? [] : [['published_at is not null']];
  return list(session, query, [['org_id = ?', session.org_id], ['active'], ...onSale, ...keywordFilter(query.keyword)]);
};
