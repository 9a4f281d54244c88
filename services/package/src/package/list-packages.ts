import type { packageCalls } from '@teaching/contracts';
import { containing, type Handler, orElse, pagedList } from '@teaching/kit';
import { LISTED } from './package.table.ts';

const list = pagedList({
  ...LISTED,
  from: 'course_package',
  sorts: {
    title: { by: 'title', type: 'text' },
    price_minor: { by: 'price_minor', type: 'bigint' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
    published_at: { by: orElse('published_at', '-infinity'), type: 'timestamptz' },
  },
  where: {
    teacher_id: 'teacher_id = ?',
    active: 'active',
    on_sale: 'published_at is not null',
    keyword: containing('search'),
  },
});

export const listMyPackages: Handler<typeof packageCalls.listMy> = ({ query }, session) =>
  list(session, query, { teacher_id: session.reach.self(), keyword: query.keyword });

export const listOrgPackages: Handler<typeof packageCalls.listOrg> = ({ query }, session) =>
  list(session, query, { active: true, on_sale: session.reach.goesBy('offered'), keyword: query.keyword });
