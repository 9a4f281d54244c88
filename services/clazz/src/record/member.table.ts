import { ALL_ROLES, MEMBER_STATUSES } from '@teaching/contracts';
import { instant, p, table, texts } from '@teaching/kit';

export const MEMBER = table('member', {
  org_id: p.uuid().primary(),
  user_id: p.text().primary(),
  role: p.enum(ALL_ROLES),
  roles: texts().$type<(typeof ALL_ROLES)[number][]>(),
  display_name: p.text(),
  given_name: p.text().nullable(),
  family_name: p.text().nullable(),
  email: p.text().nullable(),
  phone: p.text().nullable(),
  birthday: p.date().nullable(),
  external_id: p.text().nullable(),
  note: p.text().nullable(),
  status: p.enum(MEMBER_STATUSES),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
  search: p.text().hidden().persist(false),
});
