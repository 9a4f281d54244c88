import { defineEntity, p } from '@mikro-orm/postgresql';
import { table } from '@teaching/kit';

/** Which courses a group has. */
export const GROUP_COURSE = table(
  defineEntity({
    name: 'CourseGroupCourse',
    tableName: 'course_group_course',
    properties: {
      org_id: p.uuid().primary(),
      group_id: p.uuid().primary(),
      course_id: p.uuid().primary(),
      position: p.integer(),
    },
  }),
);
