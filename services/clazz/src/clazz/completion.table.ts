import type { Enrolment } from '@teaching/contracts';
import { instant, p, table, uuids } from '@teaching/kit';

/** What completing a class ended: its lessons, and its enrolments as they were before. */
export const COMPLETION = table('completion', {
  org_id: p.uuid().primary(),
  clazz_id: p.uuid().primary(),
  at: instant(),
  lesson_ids: uuids(),
  enrolments: p.json<Pick<Enrolment, 'id' | 'status'>[]>(),
});
