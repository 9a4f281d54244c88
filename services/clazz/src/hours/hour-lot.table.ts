import { LOT_KINDS } from '@teaching/contracts';
import { bigint, hundredths, instant, p, table } from '@teaching/kit';

/** Hours granted at one time with one price and one expiry. */
export const HOUR_LOT = table('hour_lot', {
  org_id: p.uuid().primary(),
  student_id: p.text().primary(),
  id: p.uuid().primary(),
  /** The entry that brought the lot; the order of age. */
  seq: p.integer(),
  kind: p.enum(LOT_KINDS),
  /** Set: only for lessons of classes of this course. */
  course_id: p.uuid().nullable(),
  granted: hundredths(),
  remaining: hundredths(),
  /** For all hours granted. */
  price_minor: bigint(),
  /** `null` without a price. */
  currency: p.text().nullable(),
  package_id: p.uuid().nullable(),
  package_version: p.integer().nullable(),
  /** As it was called when it was bought. */
  package_title: p.text().nullable(),
  expires_at: instant().nullable(),
  created_at: instant(),
  open: p.boolean().hidden().persist(false),
});
