import { migration } from '@teaching/kit';

/** A student belongs to a plan from a day (rules, part 10); null: from the plan's first, as all did until now. */
export const studentSince = migration('102_student_since', 'alter table jihua_student add column since date');
