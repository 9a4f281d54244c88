import { ALL_ROLES } from '@teaching/contracts';
import { bigint, instant, p, table } from '@teaching/kit';

/** What the directory calls people, as its events tell. */
export const MEMBER = table('member', {
  org_id: p.uuid().primary(),
  user_id: p.text().primary(),
  role: p.enum(ALL_ROLES),
  display_name: p.text(),
  /** The place of the event that said so; null for what this service kept before the directory moved. */
  seq: bigint().nullable(),
  external_id: p.text().nullable().hidden(),
  created_at: instant().nullable().hidden(),
  updated_at: instant().nullable().hidden(),
});
