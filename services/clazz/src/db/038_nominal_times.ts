import { migration } from '@teaching/kit';

/** The local time of a lesson that its start does not show (`schedule/nominal-time.rules.ts`). */
export const nominalTimes = migration(
  '137_nominal_times',
  `alter table lesson
     add column nominal_start text,
     add column second_occurrence boolean not null default false`,
);
