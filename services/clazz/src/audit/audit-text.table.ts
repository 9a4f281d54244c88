import { bigint, instant, p, table, texts } from '@teaching/kit';

/** The free texts of the trail, by the digests that stand in its chain. One that was erased has neither text nor key. */
export const AUDIT_TEXT = table('audit_text', {
  org_id: p.uuid().primary(),
  digest: p.text().primary(),
  key: p.text().nullable(),
  text: p.text().nullable(),
  /** Whom it is about. */
  people: texts(),
  erased_at: instant().nullable(),
  /** The entry that held it itself before texts lay beside the chain. */
  former_seq: bigint().nullable(),
});
