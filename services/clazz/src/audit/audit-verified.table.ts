import { bigint, instant, p, table } from '@teaching/kit';

/** How far the recomputing of each chain is, and what it found. */
export const AUDIT_VERIFIED = table('audit_verified', {
  org_id: p.uuid().primary(),
  /** Where the walk stands, or stood when it ended. */
  entries: bigint(),
  hash: p.text(),
  /** When it began, and whether at the first entry; else at the end of the chain that was whole. */
  began_at: instant(),
  from_first: p.boolean(),
  is_done: p.boolean(),
  /** What the chain ended in when it was whole; the next walk has to come by there. */
  whole_entries: bigint(),
  whole_hash: p.text(),
  /** When that walk began; before there was one, when the chain was first met. */
  whole_at: instant(),
  /** The same of the last one from the first entry. */
  first_at: instant(),
  /** What the last walk stopped at. */
  broken_seq: bigint().nullable(),
  broken_why: p.text().nullable(),
});
