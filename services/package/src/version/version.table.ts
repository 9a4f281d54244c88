import type { Snapshot } from '@teaching/contracts';
import { instant, p, table } from '@teaching/kit';

/** Published versions. They stay after their package is deleted, as a proof of sales. */
export const VERSION = table('course_package_version', {
  org_id: p.uuid().primary(),
  package_id: p.uuid().primary(),
  number: p.integer().primary(),
  snapshot: p.json<Snapshot>(),
  published_at: instant(),
  published_by: p.text(),
});
