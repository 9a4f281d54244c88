import { bigint, instant, p, table } from '@teaching/kit';

/** The step from entries that held their texts themselves to entries with digests, once for each org that had some. */
export const AUDIT_ANCHOR = table('audit_anchor', {
  org_id: p.uuid().primary(),
  entries: bigint(),
  /** What the last of them had; erased with the first text of theirs, which could be guessed from it. */
  hash_before: p.text().nullable(),
  hash: p.text(),
  at: instant(),
  /** Where the chain was broken already, and why. */
  broken_seq: bigint().nullable(),
  broken_why: p.text().nullable(),
});

/** The hashes that entries had then; from the first on whose text was erased there is none. */
export const AUDIT_FORMER = table('audit_former', {
  org_id: p.uuid().primary(),
  seq: bigint().primary(),
  hash: p.text(),
});
