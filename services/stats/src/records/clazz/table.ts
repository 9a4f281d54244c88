import { CLAZZ_STATUSES } from '@teaching/contracts';
import { bigint, p, table } from '@teaching/kit';

export const CLAZZ = table('clazz', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  id: p.uuid().primary(),
  name: p.text(),
  status: p.enum([...CLAZZ_STATUSES, 'deleted']),
  lead_teacher_id: p.text(),
  seq: bigint(),
});
