import type { Output, packageCalls } from '@teaching/contracts';
import { containing, type Handler, keptByLog, orElse, pagedList } from '@teaching/kit';
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

type Listed = Output<typeof packageCalls.listPackages>;
/** Every change of a package is told in its transaction, so a page is as it was while the log is. */
const kept = keptByLog<Listed>();

export const listMyPackages: Handler<typeof packageCalls.listMyPackages> = ({ query }, session) => {
  const teacher_id = session.reach.self();
  return kept(session, ['my', teacher_id, query], () => list(session, query, { teacher_id, keyword: query.keyword }));
};

export const listPackages: Handler<typeof packageCalls.listPackages> = ({ query }, session) => {
  const on_sale = session.reach.goesBy('offered');
  return kept(session, ['org', on_sale, query], () =>
    list(session, query, { active: true, on_sale, keyword: query.keyword }),
  );
};
