import type { Member, memberCalls } from '@teaching/contracts';
import { type Handler, pagedList } from '@teaching/kit';
import { equals, keywordFilter } from '../shared/list.ts';

export const MEMBER_COLUMNS = 'user_id, role, display_name, external_id, created_at, updated_at';

const list = pagedList<Member, 'display_name' | 'user_id' | 'created_at' | 'updated_at'>({
  columns: MEMBER_COLUMNS,
  from: 'member',
  id: { by: 'user_id', type: 'text' },
  sorts: {
    display_name: { by: 'display_name', type: 'text' },
    user_id: { by: 'user_id', type: 'text' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
  },
});

export const listMembers: Handler<typeof memberCalls.list> = ({ query }, session) =>
  list(session, query, [
    ['org_id = ?', session.org_id],
    ...equals({ role: query.role }),
    ...keywordFilter(query.keyword),
  ]);
