import { p, table } from '@teaching/kit';

/** Which courses a group has. */
export const GROUP_COURSE = table('course_group_course', {
  org_id: p.uuid().primary(),
  group_id: p.uuid().primary(),
  course_id: p.uuid().primary(),
  position: p.integer(),
});
