import { Refused, type refusalCalls } from '@teaching/contracts';
import { among, type Handler, p, pagedList, statement } from '@teaching/kit';
import { REFUSAL } from './refusal.table.ts';

const SHOWN = REFUSAL.wire(Refused);
const NAME = '(select display_name from member where org_id = r.org_id and user_id = r.user_id) as display_name';

const list = pagedList({
  columns: `${SHOWN.of('r')}, ${NAME}`,
  shape: { ...SHOWN.shape, display_name: p.text().nullable() },
  from: 'refusal r',
  org: 'r.org_id',
  id: { by: 'r.id', type: 'uuid' },
  sorts: { first_at: { by: 'r.first_at', type: 'timestamptz' } },
  where: { from: 'r.first_at >= ?', to: 'r.first_at < ?', user_id: among('r.user_id'), reason: among('r.reason') },
});

export const listRefusals: Handler<typeof refusalCalls.listRefusals> = ({ query }, session) =>
  list(session, query, query);

/** What was kept of where somebody came from. */
export const FORGET_REFUSALS = statement('delete from refusal where org_id = $1 and user_id = $2');
