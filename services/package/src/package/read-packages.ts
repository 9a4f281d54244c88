import type { packageCalls } from '@teaching/contracts';
import { AnswerCache, containsKeyword, type Handler, logStateReader, indexedDefault, pagedList } from '@teaching/kit';
import { requireVisible } from './load-package.ts';
import { LISTED_PACKAGE, PACKAGE } from './package.table.ts';

export const getPackage: Handler<typeof packageCalls.getPackage> = async ({ path }, session) =>
  requireVisible(session, await session.find(PACKAGE, path.id));

const list = pagedList({
  ...LISTED_PACKAGE,
  from: 'course_package',
  sorts: {
    title: { by: 'title', type: 'text' },
    price_minor: { by: 'price_minor', type: 'bigint' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
    published_at: { by: indexedDefault('published_at', '-infinity'), type: 'timestamptz' },
  },
  where: {
    teacher_id: 'teacher_id = ?',
    active: 'active',
    on_sale: 'published_at is not null',
    keyword: containsKeyword('search'),
  },
});

/**
 * Every transaction that changes a package emits an event, so a page is current while the state of the log is the
 * same.
 */
const pages = new AnswerCache();
const readLogState = logStateReader();

export const listMyPackages: Handler<typeof packageCalls.listMyPackages> = ({ query }, session) => {
  const teacher_id = session.access.requireSelf();
  return pages.answer(session, {
    key: ['listMyPackages', teacher_id, query],
    state: readLogState,
    compute: async () => ({ answer: await list(session, query, { teacher_id, keyword: query.keyword }) }),
  });
};

export const listPackages: Handler<typeof packageCalls.listPackages> = ({ query }, session) => {
  const on_sale = session.access.isLimitedTo('offered');
  return pages.answer(session, {
    key: ['listPackages', on_sale, query],
    state: readLogState,
    compute: async () => ({ answer: await list(session, query, { active: true, on_sale, keyword: query.keyword }) }),
  });
};
