import { defineEntity, p } from '@mikro-orm/postgresql';
import { bigint, instant, table } from '@teaching/kit';

/** What the trail can no longer prove, of all organizations. */
export const AUDIT_BREAK = table(
  defineEntity({
    name: 'AuditBreak',
    tableName: 'audit_break',
    properties: {
      id: bigint().primary().persist(false),
      at: instant(),
      epoch: p.integer(),
      no: bigint(),
      on_from: bigint(),
      why: p.text(),
    },
  }),
);
