import { defineEntity, p } from '@mikro-orm/postgresql';
import { bigint, instant } from './columns.ts';
import { table } from './table.ts';

/** Organizations that were deleted: that they were, when, and in the class service where their trails ended. */
export const ORGANIZATION_END = table(
  defineEntity({
    name: 'OrganizationEnd',
    tableName: 'organization_end',
    properties: {
      id: p.uuid().primary(),
      began_at: instant(),
      /** Nothing that comes late is stored any more, whoever tells it. */
      sealed: p.boolean(),
      ended_at: instant().nullable(),
      entries: bigint().nullable(),
      hash: p.text().nullable(),
      /** The transaction that wrote the row. */
      changed: p.text().columnType('xid8'),
    },
  }),
);
