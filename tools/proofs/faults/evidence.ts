import type { PostgresServer } from '../system/postgres-server.ts';

/** The rows that writes left in their sources, each as one line of text. */
const EVIDENCE = `
  select 'clazz ' || id as it from clazz.clazz where org_id = any ($1)
  union all select 'enrolment ' || clazz_id || ' ' || student_id from clazz.enrolment where org_id = any ($1)
  union all select 'lesson ' || id from clazz.lesson where org_id = any ($1)
  union all select 'cancelled ' || id from clazz.lesson where org_id = any ($1) and status = 'cancelled'
  union all select 'mark ' || lesson_id || ' ' || student_id || ' ' || revision
    from clazz.mark_revision where org_id = any ($1)
  union all select 'lot ' || id from clazz.hour_lot where org_id = any ($1)
  union all select 'leave ' || id from clazz.leave where org_id = any ($1)
  union all select 'decided ' || id from clazz.leave where org_id = any ($1) and decided_by is not null
  union all select 'lianxi ' || id from course.lianxi where org_id = any ($1)
  union all select 'submission ' || id from course.submission where org_id = any ($1)
  union all select 'marking ' || submission_id || ' ' || revision from course.mark_revision where org_id = any ($1)`;

export const readEvidence = async (postgres: PostgresServer, orgs: readonly string[]): Promise<Set<string>> =>
  new Set((await postgres.sql<{ it: string }>(EVIDENCE, [orgs])).map(({ it }) => it));
