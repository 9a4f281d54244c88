import type { Enrolment } from '@teaching/contracts';
import { instant, p, table, uuids } from '@teaching/kit';

/** The lessons that completing a class cancelled, and its enrolments with the status that they had before. */
export const COMPLETION = table('completion', {
  org_id: p.uuid().primary(),
  clazz_id: p.uuid().primary(),
  at: instant(),
  lesson_ids: uuids(),
  enrolments: p.json<Pick<Enrolment, 'id' | 'status'>[]>(),
});
