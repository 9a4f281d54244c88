import { instant, p, table } from '@teaching/kit';

/** The links between students and guardians. Both are in the directory. Removing one of them removes the link. */
export const GUARDIAN = table('guardian', {
  org_id: p.uuid().primary(),
  student_id: p.text().primary(),
  user_id: p.text().primary(),
  relation: p.text().nullable(),
  /** Whether the guardian sees the money of the student's account. */
  money: p.boolean(),
  /** The position in the list of guardians. */
  position: p.integer(),
});

/**
 * People whose tokens are revoked. A row stays for one day after access is restored, so that every gateway receives the
 * change.
 */
export const SHUT_OUT = table('shut_out', {
  org_id: p.uuid().primary(),
  user_id: p.text().primary(),
  inactive: p.boolean(),
  /** Tokens that were issued up to this moment are refused. */
  signed_out_at: instant().nullable(),
  /** The transaction that wrote the row. */
  changed: p.text().columnType('xid8'),
  changed_at: instant(),
});
