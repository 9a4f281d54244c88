import type { RefundQuote } from '@teaching/contracts';
import { instant, p, table } from '@teaching/kit';

export const REFUND_QUOTE = table('refund_quote', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  student_id: p.text(),
  quote: p.json<RefundQuote>(),
  created_at: instant(),
  created_by: p.text(),
  refunded_at: instant().nullable(),
});
