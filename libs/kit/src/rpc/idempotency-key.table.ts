import { instant, p } from '../db/columns.ts';
import { table } from '../db/table.ts';
import type { ReplyHead } from './frame.ts';

/** The head of an answer that is kept. */
export interface KeptHead extends ReplyHead {
  /** Of a refusal: the deadline of what was refused, epoch milliseconds. */
  refused_deadline?: number;
}

/** Answers of writes, by the key their caller chose. */
export const IDEMPOTENCY_KEY = table('idempotency_key', {
  org_id: p.uuid().primary(),
  user_id: p.text().primary(),
  key: p.text().primary(),
  request_hash: p.text(),
  reply_head: p.json<KeptHead>().columnType('json'),
  reply_body: p.text(),
  created_at: instant().columnType('timestamptz'),
});
