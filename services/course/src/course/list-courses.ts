import type { Course, courseCalls } from '@teaching/contracts';
import { type Filter, type Handler, isStaff, pagedList } from '@teaching/kit';
import { equals, keywordFilter } from '../shared/list.ts';
import { COURSE } from './course.table.ts';

const list = pagedList<Course, 'title' | 'created_at' | 'updated_at'>({
  columns: COURSE.columns,
  from: 'course',
  sorts: {
    title: { by: 'title', type: 'text' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
  },
});

export const listCourses: Handler<typeof courseCalls.list> = ({ query }, session) => {
  const { category_id, teacher_id, status } = query;
  const visible: Filter[] = isStaff(session.caller) ? [] : [["status = 'active'"]];
  return list(session, query, [
    ['org_id = ?', session.org_id],
    ...visible,
    ...equals({ category_id, teacher_id, status }),
    ...keywordFilter(query.keyword),
  ]);
};
