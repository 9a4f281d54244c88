import { type refusalCalls, Refused } from '@teaching/contracts';
import { equalsAnyOf, type Handler, instant, p, pagedList, statement, sweepOf, table } from '@teaching/kit';

/** Refusals counted by gateways. They are kept for 30 days, and at most the newest of each org. */
const REFUSAL = table('refusal', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  first_at: instant(),
  last_at: instant(),
  count: p.integer(),
  user_id: p.text().nullable(),
  method: p.text().nullable(),
  route: p.text().nullable(),
  status: p.integer(),
  reason: p.text(),
  address: p.text().nullable(),
});

/** The most rows of one org. A flood of refusals in one org removes only older rows of that org. */
export const STORED_PER_ORGANIZATION = 10_000;
const DAYS = 30;

const STORE = statement(
  `insert into refusal (${REFUSAL.columns})
   select ${REFUSAL.columns} from ${REFUSAL.rowsFrom('$1')} as r
   where not exists (select from organization_end as e where e.id = r.org_id) order by org_id, id
   on conflict (org_id, id) do update
   set count = greatest(refusal.count, excluded.count), last_at = greatest(refusal.last_at, excluded.last_at)`,
);
const REMOVE_EXCESS = statement(
  `with too_old as materialized (
     select o.org_id, k.first_at, k.id from unnest($1::uuid[]) as o(org_id) cross join lateral (
       select r.first_at, r.id from refusal as r where r.org_id = o.org_id
       order by r.first_at desc, r.id desc offset ${STORED_PER_ORGANIZATION} limit 1) as k
   ) delete from refusal as r using too_old as t where r.org_id = t.org_id and (r.first_at, r.id) <= (t.first_at, t.id)`,
);

/**
 * Stores the counts of a gateway, except those of deleted organizations. Repeating the call changes nothing, so a
 * gateway without an answer repeats it.
 */
export const storeRefusals: Handler<typeof refusalCalls.keep> = async ({ body: { refused } }, session) => {
  session.run(STORE, REFUSAL.toJson(refused));
  session.run(REMOVE_EXCESS, [...new Set(refused.map(({ org_id }) => org_id))]);
  return null;
};

export const removeOldRefusals = sweepOf('old refusals', 'refusal', `first_at < now() - interval '${DAYS} days'`);

const SHOWN = REFUSAL.contractColumns(Refused);
const NAME = '(select display_name from member where org_id = r.org_id and user_id = r.user_id) as display_name';

const list = pagedList({
  columns: `${SHOWN.withAlias('r')}, ${NAME}`,
  shape: { ...SHOWN.shape, display_name: p.text().nullable() },
  from: 'refusal r',
  org: 'r.org_id',
  id: { by: 'r.id', type: 'uuid' },
  sorts: { first_at: { by: 'r.first_at', type: 'timestamptz' } },
  where: {
    from: 'r.first_at >= ?',
    to: 'r.first_at < ?',
    user_id: equalsAnyOf('r.user_id'),
    reason: equalsAnyOf('r.reason'),
  },
});

export const listRefusals: Handler<typeof refusalCalls.listRefusals> = ({ query }, session) =>
  list(session, query, query);

/** Removes the refusals of a person. */
export const REMOVE_REFUSALS = statement('delete from refusal where org_id = $1 and user_id = $2');
