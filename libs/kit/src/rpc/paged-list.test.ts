import { expect, it } from 'vitest';
import { notNull, p } from '../db/columns.ts';
import { pagedList } from './paged-list.ts';
import type { Session } from './session.ts';

const list = pagedList({
  columns: 'id',
  shape: { id: notNull(p.uuid()) },
  from: 'thing',
  sorts: { id: { by: 'id', type: 'uuid' } },
  where: { name: 'name = ?', open: 'open' },
});
const page = { limit: 1, sort: 'id' } as const;

it('a paged list does not compile with a condition that the list does not have, since it would filter nothing', () => {
  const conditions = { name: 'n', colour: 'c' };
  const calls = (session: Session) => [
    list(session, page),
    list(session, page, { name: 'n' }),
    list(session, page, { name: undefined, open: true }),
    list(session, page, { ...page, name: 'n' }),
    // @ts-expect-error the list has no condition `colour`
    list(session, page, conditions),
    // @ts-expect-error the list has no condition `closed`
    list(session, page, { closed: true }),
  ];
  expect(calls).toBeTypeOf('function');
});
