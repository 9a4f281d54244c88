import type { memberCalls } from '@teaching/contracts';
import { containing, type Handler, pagedList } from '@teaching/kit';
import { SHOWN } from './shown.ts';

const list = pagedList({
  ...SHOWN,
  from: 'member',
  id: { by: 'user_id', type: 'text' },
  sorts: {
    display_name: { by: 'display_name', type: 'text' },
    user_id: { by: 'user_id', type: 'text' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
  },
  where: { role: '? = any (roles)', status: 'status = ?', keyword: containing('search') },
});

export const listMembers: Handler<typeof memberCalls.listMembers> = ({ query }, session) => list(session, query, query);
