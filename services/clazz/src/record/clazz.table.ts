import { CLAZZ_STATUSES } from '@teaching/contracts';
import { instant, p, table } from '@teaching/kit';

export const CLAZZ = table('clazz', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  name: p.text(),
  course_id: p.uuid().nullable(),
  course_package_id: p.uuid().nullable(),
  lead_teacher_id: p.text(),
  assistant_ids: p.array(),
  capacity: p.integer().nullable(),
  zone: p.text(),
  starts_on: p.date().nullable(),
  ends_on: p.date().nullable(),
  status: p.enum(CLAZZ_STATUSES),
  completed_at: instant().nullable(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
});
