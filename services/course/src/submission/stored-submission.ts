import { Submission } from '@teaching/contracts';
import { LIANXI } from '../lianxi/lianxi.table.ts';
import { SUBMISSION } from './submission.table.ts';

const SHOWN = SUBMISSION.wire(Submission);

/** A submission `s` with the due time in force for its student. */
export const STORED = {
  columns: `${SHOWN.of('s')}, coalesce(e.due_at, l.due_at) as due_at`,
  shape: { ...SHOWN.shape, ...LIANXI.some('due_at').shape },
  from: `submission s
    join lianxi l on l.org_id = s.org_id and l.id = s.lianxi_id
    left join lianxi_extension e on e.org_id = s.org_id and e.lianxi_id = s.lianxi_id and e.student_id = s.student_id`,
};
