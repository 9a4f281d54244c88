import { Submission } from '@teaching/contracts';
import { always, names, p } from '@teaching/kit';
import { LIANXI } from '../lianxi/lianxi.table.ts';
import { SUBMISSION } from './submission.table.ts';

const SHOWN = SUBMISSION.wire(Submission);

/** A submission `s` with the due time in force for its student: each is looked up by its key, in this order. */
export const STORED = {
  columns: `${SHOWN.of('s')}, coalesce(e.due_at, l.due_at) as due_at`,
  shape: { ...SHOWN.shape, ...LIANXI.some('due_at').shape },
  from: `submission s
    cross join lateral (select due_at from lianxi where org_id = s.org_id and id = s.lianxi_id offset 0) l
    left join lateral (
      select due_at from lianxi_extension
      where org_id = s.org_id and lianxi_id = s.lianxi_id and student_id = s.student_id offset 0) e on true`,
};

const people = names('s', 'student_id', 'marked_by', 'claimed_by');

/** The same with what its ids stand for. */
export const NAMED = {
  columns: `${STORED.columns}, ${people.columns},
    (select title from lianxi where org_id = s.org_id and id = s.lianxi_id) as lianxi_title`,
  shape: { ...STORED.shape, ...people.shape, lianxi_title: always(p.text()) },
};
