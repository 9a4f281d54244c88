import { TOKEN_DAYS } from '@teaching/contracts';
import { always, bigint, HOUR_MS, type InTx, statement, type Sweep } from '@teaching/kit';
import { FEED_PAUSE } from '../schedule/calendar-feed.table.ts';

const PIECE = 1_000;
/** Clocks of issuers and gateways may differ by less than the last day. */
const PAST = `interval '${TOKEN_DAYS + 1} days'`;
/** A gateway that heard nothing for so long reads the whole list. */
const TOLD = "interval '1 day'";

/** No token can be that old. Everybody is told as of any other change; addresses that it ended go for good. */
const FORGET = statement(
  `with due as materialized (
     select org_id, user_id, signed_out_at from shut_out
     where signed_out_at < $1::timestamptz - ${PAST} limit ${PIECE} for update skip locked
   ), ended as (
     delete from calendar_feed f using due d
     where f.org_id = d.org_id and f.user_id = d.user_id and f.created_at <= d.signed_out_at + ${FEED_PAUSE}
   ), forgotten as (
     update shut_out s set signed_out_at = null, changed = pg_current_xact_id(), changed_at = $1
     from due d where s.org_id = d.org_id and s.user_id = d.user_id returning 1
   ) select count(*) as rows from forgotten`,
  { rows: always(bigint()) },
);
const REMOVE = statement(
  `with gone as (
     delete from shut_out where ctid = any (array(
       select ctid from shut_out
       where not inactive and signed_out_at is null and changed_at < $1::timestamptz - ${TOLD} limit ${PIECE}
       for update skip locked)) returning 1
   ) select count(*) as rows from gone`,
  { rows: always(bigint()) },
);

async function* pieces(inTx: InTx): AsyncGenerator<number> {
  for (const step of [FORGET, REMOVE]) {
    let rows: number;
    do {
      const [done] = await inTx((tx) => tx.query(step, tx.now));
      rows = done?.rows ?? 0;
      yield rows;
    } while (rows === PIECE);
  }
}

/** Keeps of people who were signed out only what still shuts somebody out. */
export const forgetSignOuts: Sweep = { name: 'sign-outs older than any token', every_ms: HOUR_MS, pieces };
