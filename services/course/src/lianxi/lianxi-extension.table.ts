import { instant, p, table } from '@teaching/kit';

/** The due time of one student, where it is another than the practice's. */
export const LIANXI_EXTENSION = table('lianxi_extension', {
  org_id: p.uuid().primary(),
  lianxi_id: p.uuid().primary(),
  student_id: p.text().primary(),
  due_at: instant(),
  granted_by: p.text(),
  updated_at: instant(),
});
