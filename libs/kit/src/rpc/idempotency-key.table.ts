import { defineEntity, p } from '@mikro-orm/postgresql';
import { instant } from '../db/columns.ts';
import { table } from '../db/table.ts';
import type { ReplyHead } from './frame.ts';

/** Answers of writes, by the key their caller chose. */
export const IDEMPOTENCY_KEY = table(
  defineEntity({
    name: 'IdempotencyKey',
    tableName: 'idempotency_key',
    properties: {
      org_id: p.uuid().primary(),
      user_id: p.text().primary(),
      key: p.text().primary(),
      request_hash: p.text(),
      reply_head: p.json<ReplyHead>().columnType('json'),
      reply_body: p.text(),
      created_at: instant().columnType('timestamptz'),
    },
  }),
);
