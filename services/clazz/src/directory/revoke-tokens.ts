import { type memberCalls, Problem, TOKEN_DAYS } from '@teaching/contracts';
import {
  notNull,
  bigint,
  type Handler,
  HOUR_MS,
  type RunInTransaction,
  type Session,
  statement,
  type Sweep,
} from '@teaching/kit';
import { auditOrg, changesOf } from '../audit/record-audit.ts';
import { namesOf } from '../record/member-names.ts';
import { FEED_SIGN_OUT_MARGIN } from '../schedule/schedule.tables.ts';
import { SHUT_OUT } from './directory.tables.ts';

const REVOKE = statement(
  `insert into shut_out (org_id, user_id, inactive, changed_at) values ($1, $2, true, $3)
   on conflict (org_id, user_id) do update set
     inactive = true, changed = pg_current_xact_id(), changed_at = excluded.changed_at`,
);
const READMIT = statement(
  `update shut_out set inactive = false, changed = pg_current_xact_id(), changed_at = $3
   where org_id = $1 and user_id = any($2::text[]) and inactive`,
);

/** Revokes the tokens of a person. They stay revoked when the person is erased from the directory. */
export const revokeTokens = (session: Session, user_id: string): void =>
  session.run(REVOKE, session.org_id, user_id, session.now);

/** Restores access of people who are activated, or added again. */
export const restoreAccess = (session: Session, ...user_ids: readonly string[]): void =>
  session.run(READMIT, session.org_id, user_ids, session.now);

/**
 * The most people of one organization who are signed out at the same time. Every gateway keeps all of them in memory.
 */
const MAX_SIGNED_OUT = 50_000;
const COUNT = statement(
  `select count(*) as count from (
     select from shut_out where org_id = $1 and signed_out_at is not null and user_id <> $2 limit ${MAX_SIGNED_OUT}
   ) as others`,
  { count: notNull(bigint()) },
);
/** Of two concurrent calls, the later moment counts. */
const SIGN_OUT = statement(
  `insert into shut_out (org_id, user_id, inactive, signed_out_at, changed_at) values ($1, $2, false, $3, $3)
   on conflict (org_id, user_id) do update set
     signed_out_at = greatest(shut_out.signed_out_at, excluded.signed_out_at),
     changed = pg_current_xact_id(), changed_at = excluded.changed_at
   returning old.signed_out_at as before, signed_out_at as after`,
  { before: SHUT_OUT.shape.signed_out_at, after: SHUT_OUT.shape.signed_out_at },
);

/**
 * Signs a person out. Every gateway refuses tokens issued up to now within 5 s.
 * `iat` usually has whole seconds (RFC 7519 §4.1.6), so a token of the same second may be older or newer. It is
 * refused: signing in again takes one second, but actions of an old token cannot be undone.
 * Any user id can be signed out, because people with tokens need not be in the directory.
 */
export const signOutMember: Handler<typeof memberCalls.signOutMember> = async (
  { path: { user_id }, body },
  session,
) => {
  const { org_id, now } = session;
  const [nameOf, others] = await Promise.all([
    namesOf(session, org_id, [user_id]),
    session.queryOne(COUNT, org_id, user_id),
  ]);
  if ((others?.count ?? 0) >= MAX_SIGNED_OUT)
    throw new Problem('rate_limited', `At most ${MAX_SIGNED_OUT} people are signed out at once`);
  const signed = await session.queryOne(SIGN_OUT, org_id, user_id, now);
  const [before = null, after = null] = [signed?.before, signed?.after];
  const changes = changesOf({ signed_out_at: before }, { signed_out_at: after });
  const entry = { action: 'update', entity: 'member', entity_id: user_id, about: [user_id] } as const;
  auditOrg(session, [{ ...entry, reason: body?.reason ?? null, changes }]);
  return { user_id, display_name: nameOf(user_id), signed_out_at: after ?? now.toISOString() };
};

const BATCH_ROWS = 1_000;
/** The last day covers clock differences between issuers and gateways. */
const MAX_TOKEN_AGE = `interval '${TOKEN_DAYS + 1} days'`;
/** A gateway without an update for this time reads the complete list. */
const CHANGE_RETENTION = "interval '1 day'";

/**
 * Clears sign-outs older than any token. Gateways receive this as a change. Calendar feeds that the sign-out ended are
 * deleted.
 */
const CLEAR_SIGN_OUTS = statement(
  `with due as materialized (
     select org_id, user_id, signed_out_at from shut_out
     where signed_out_at < $1::timestamptz - ${MAX_TOKEN_AGE} limit ${BATCH_ROWS} for update skip locked
   ), ended as (
     delete from calendar_feed f using due d
     where f.org_id = d.org_id and f.user_id = d.user_id and f.created_at <= d.signed_out_at + ${FEED_SIGN_OUT_MARGIN}
   ), forgotten as (
     update shut_out s set signed_out_at = null, changed = pg_current_xact_id(), changed_at = $1
     from due d where s.org_id = d.org_id and s.user_id = d.user_id returning 1
   ) select count(*) as rows from forgotten`,
  { rows: notNull(bigint()) },
);
const REMOVE = statement(
  `with gone as (
     delete from shut_out where ctid = any (array(
       select ctid from shut_out
       where not inactive and signed_out_at is null and changed_at < $1::timestamptz - ${CHANGE_RETENTION} limit ${BATCH_ROWS}
       for update skip locked)) returning 1
   ) select count(*) as rows from gone`,
  { rows: notNull(bigint()) },
);

async function* pieces(inTx: RunInTransaction): AsyncGenerator<number> {
  for (const step of [CLEAR_SIGN_OUTS, REMOVE]) {
    let rows: number;
    do {
      const [done] = await inTx((tx) => tx.query(step, tx.now));
      rows = done?.rows ?? 0;
      yield rows;
    } while (rows === BATCH_ROWS);
  }
}

/** Removes sign-outs that no longer revoke any token. */
export const removeOldSignOuts: Sweep = { name: 'sign-outs older than any token', every_ms: HOUR_MS, pieces };
