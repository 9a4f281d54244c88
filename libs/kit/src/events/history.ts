import { Envelope, historyCall } from '@teaching/contracts';
import { z } from 'zod';
import { type Route, routes } from '../call/handler.ts';
import { statement } from '../db/statement.ts';
import { withSequence } from './sequence.ts';

/** A page stays far below what one bus message may hold. */
const PAGE_BYTES = 3_000_000;

const PAGE = statement<{ seq: number; event: string }>(`
  select seq, event from (
    select seq, event::text as event, sum(octet_length(event::text)) over (order by seq) - octet_length(event::text) as before
    from (
      select seq, event from outbox
      where seq > $1 and (cardinality($3::text[]) = 0 or event ->> 'type' = any ($3))
      order by seq limit $2
    ) as page
  ) as sized where before < ${PAGE_BYTES} order by seq`);
const HEAD = statement<{ head: number }>('select coalesce(max(seq), 0) as head from outbox');

/** The call every service answers about its own events. */
export const historyRoutes = (service: string): Route[] =>
  routes(
    { page: historyCall(service) },
    {
      page: async ({ body }, session) => {
        const [heads, rows] = await Promise.all([
          session.query(HEAD),
          session.query(PAGE, body.after_seq, body.limit, body.types),
        ]);
        const head_seq = Math.max(heads[0]?.head ?? 0, body.after_seq);
        const last = rows.at(-1);
        const events = z.array(Envelope).parse(rows.map((row) => JSON.parse(withSequence(row.event, row.seq))));
        return { events, last_seq: last?.seq ?? head_seq, head_seq };
      },
    },
  );
