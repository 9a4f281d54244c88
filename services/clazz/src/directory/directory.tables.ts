import { instant, p, table } from '@teaching/kit';

/** The guardians of students: both are in the directory, and leave it with their links. */
export const GUARDIAN = table('guardian', {
  org_id: p.uuid().primary(),
  student_id: p.text().primary(),
  user_id: p.text().primary(),
  relation: p.text().nullable(),
  /** May see what was paid. */
  money: p.boolean(),
  /** As the office listed them. */
  position: p.integer(),
});

/** People whose tokens are revoked; and for a day those who may enter again, so that every gateway hears of it. */
export const SHUT_OUT = table('shut_out', {
  org_id: p.uuid().primary(),
  user_id: p.text().primary(),
  inactive: p.boolean(),
  /** No token counts that was issued up to this moment. */
  signed_out_at: instant().nullable(),
  /** The transaction that wrote the row. */
  changed: p.text().columnType('xid8'),
  changed_at: instant(),
});
