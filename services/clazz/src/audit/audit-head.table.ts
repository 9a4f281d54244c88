import { defineEntity, p } from '@mikro-orm/postgresql';
import { bigint, instant, table } from '@teaching/kit';

/** Where each org's chain ends; its row is the lock under which entries are appended. */
export const AUDIT_HEAD = table(
  defineEntity({
    name: 'AuditHead',
    tableName: 'audit_head',
    properties: {
      org_id: p.uuid().primary(),
      entries: bigint(),
      hash: p.text(),
      at: instant().nullable(),
    },
  }),
);
