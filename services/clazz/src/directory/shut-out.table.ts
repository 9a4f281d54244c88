import { instant, p, table } from '@teaching/kit';

/** People who must not enter; and for a day those who may again, so that everybody hears of it. */
export const SHUT_OUT = table('shut_out', {
  org_id: p.uuid().primary(),
  user_id: p.text().primary(),
  inactive: p.boolean(),
  /** No token counts that was issued up to this moment. */
  signed_out_at: instant().nullable(),
  /** The transaction that wrote the row. */
  changed: p.text().columnType('xid8'),
  changed_at: instant(),
});
