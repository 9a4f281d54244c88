import type { courseCalls } from '@teaching/contracts';
import { containing, type Handler, pagedList } from '@teaching/kit';
import { NAMED } from './named.ts';

const list = pagedList({
  ...NAMED,
  from: 'course c',
  sorts: {
    title: { by: 'title', type: 'text' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
  },
  where: {
    active: "status = 'active'",
    category_id: 'category_id = ?',
    teacher_id: 'teacher_id = ?',
    status: 'status = ?',
    keyword: containing('search'),
  },
});

export const listCourses: Handler<typeof courseCalls.listCourses> = ({ query }, session) =>
  list(session, query, { ...query, active: session.reach.goesBy('offered') });
