import { defineEntity, p } from '@mikro-orm/postgresql';
import { ROLES } from '@teaching/contracts';
import { instant, table } from '@teaching/kit';

export const MEMBER = table(
  defineEntity({
    name: 'Member',
    tableName: 'member',
    properties: {
      org_id: p.uuid().primary(),
      user_id: p.text().primary(),
      role: p.enum(ROLES),
      display_name: p.text(),
      external_id: p.text().nullable(),
      created_at: instant(),
      updated_at: instant(),
      search: p.text().hidden().persist(false),
    },
  }),
);
