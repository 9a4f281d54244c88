import { instant, p, table } from '@teaching/kit';

/** Who was refused for who they are, as gateways count them; kept for 30 days, and the newest of each org at most. */
export const REFUSAL = table('refusal', {
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
