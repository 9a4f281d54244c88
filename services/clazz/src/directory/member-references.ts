import { courseReferenceCalls, packageReferenceCalls } from '@teaching/contracts';
import { notNull, bigint, type Session, statement, type ReferenceCount } from '@teaching/kit';

const LEADS = 'select count(*) from clazz where org_id = $1 and lead_teacher_id = $2';
const ASSISTS = `select count(distinct c.id) from staff_period s join clazz c on c.org_id = s.org_id and c.id = s.clazz_id
  where s.org_id = $1 and s.teacher_id = $2 and $2 = any(c.assistant_ids)`;
const USES = statement(
  `select (${LEADS}) + (${ASSISTS}) as clazzes,
     (select count(*) from enrolment where org_id = $1 and student_id = $2
        and status in ('waiting', 'active', 'suspended')) as enrolments,
     (select count(*) from lesson where org_id = $1 and teacher_id = $2)
       + (select count(*) from lesson_student where org_id = $1 and student_id = $2) as lessons,
     (select count(*) from leave where org_id = $1 and student_id = $2) as leaves,
     (select count(*) from hour_entry where org_id = $1 and student_id = $2) as hour_entries,
     (select count(*) from guardian where org_id = $1 and student_id = $2)
       + (select count(*) from guardian where org_id = $1 and user_id = $2) as guardians`,
  {
    clazzes: notNull(bigint()),
    enrolments: notNull(bigint()),
    lessons: notNull(bigint()),
    leaves: notNull(bigint()),
    hour_entries: notNull(bigint()),
    guardians: notNull(bigint()),
  },
);

/**
 * The references to a person in this service.
 * Not counted: ended enrolments without results, past periods as a teacher of a class, and authorship of a mark or a
 * decision.
 */
export const localReferences = async (session: Session, user_id: string): Promise<ReferenceCount[]> => {
  const found = await session.queryOne(USES, session.org_id, user_id);
  return [
    { what: 'clazz', count: found?.clazzes ?? 0 },
    { what: 'enrolment', count: found?.enrolments ?? 0 },
    { what: 'lesson', count: found?.lessons ?? 0 },
    { what: 'leave', count: found?.leaves ?? 0 },
    { what: 'hour_entry', count: found?.hour_entries ?? 0 },
    { what: 'guardian', count: found?.guardians ?? 0 },
  ];
};

/**
 * The references to a person in other services. They accept people that the directory does not contain. A reference
 * created after this answer is therefore the same as one created after the deletion.
 */
export const remoteReferences = async (session: Session, user_id: string): Promise<ReferenceCount[]> => {
  const [course, { packages }] = await Promise.all([
    session.peers.call(courseReferenceCalls.countPerson, { user_id }),
    session.peers.call(packageReferenceCalls.countPerson, { user_id }),
  ]);
  return [
    { what: 'course', count: course.courses },
    { what: 'course_group', count: course.groups },
    { what: 'lianxi', count: course.lianxi },
    { what: 'jihua', count: course.jihua },
    { what: 'submission', count: course.submissions },
    { what: 'course_package', count: packages },
  ];
};
