import { z } from 'zod';
import { type AnyCall, call } from '../call.ts';
import { page, pageQuery } from '../page.ts';
import { rule } from '../rules.ts';
import { ALL_ROLES, ID, PersonIdInput, STAFF } from '../scalars.ts';
import {
  ClazzStats,
  FIGURES,
  MyLessons,
  OrgOverview,
  rangeQuery,
  rangeRules,
  SourceRow,
  TeacherDetail,
} from './stats.schema.ts';

const BASE = '/api/v1/clazz/stats';

type Subject = { student_id?: string | undefined; teacher_id?: string | undefined };

/** Whether a call reads the consistency token of the request. */
export const takesWriteToken = ({ service, http }: AnyCall): boolean => service === 'stats' && http !== null;

/** Statistics. `included`: whether the figures contain the write of the consistency token in the request. */
export const statsCalls = {
  getMyLessonStats: call({
    id: 'stats.my_lessons.get',
    http: `GET ${BASE}/my-lessons`,
    summary:
      'Read lessons, attendance and hours of the calling student. Staff name a student; teachers see hours only if they may read the account',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'self' },
    child: 'named',
    writes: false,
    query: { ...rangeQuery, student_id: PersonIdInput.optional() },
    query_rules: rangeRules,
    output: MyLessons,
  }),
  getTeacherStats: call({
    id: 'stats.teacher_detail.get',
    http: `GET ${BASE}/teacher-detail`,
    summary: 'Read lessons, attendance and work of the calling teacher. Supervisors name a teacher',
    roles: STAFF,
    access: { TEACHER: 'self' },
    writes: false,
    cost: 5,
    query: { ...rangeQuery, teacher_id: PersonIdInput.optional() },
    query_rules: rangeRules,
    output: TeacherDetail,
  }),
  getClazzStats: call({
    id: 'stats.clazz.get',
    http: `GET ${BASE}/clazz/{id}`,
    summary:
      'Read lessons and attendance of a class and its students. Teachers see hours only of students whose account they may read',
    roles: STAFF,
    access: 'all',
    writes: false,
    cost: 5,
    path: { id: ID },
    query: rangeQuery,
    query_rules: rangeRules,
    output: ClazzStats,
  }),
  getOrganizationStats: call({
    id: 'stats.org_overview.get',
    http: `GET ${BASE}/org-overview`,
    summary: 'Read lessons, attendance and hours of the organization',
    roles: ['SUPERVISOR'],
    writes: false,
    cost: 10,
    query: rangeQuery,
    query_rules: rangeRules,
    output: OrgOverview,
  }),
  explainFigure: call({
    id: 'stats.explain.list',
    http: `GET ${BASE}/explain`,
    summary:
      'List the source rows of a figure. The figure is of a student, teacher, class or the organization. 403 for hours that the caller may not see',
    roles: ALL_ROLES,
    access: { TEACHER: ['students', 'self'], STUDENT: 'self' },
    child: 'named',
    writes: false,
    query: {
      figure: z.enum(FIGURES),
      student_id: PersonIdInput.optional(),
      teacher_id: PersonIdInput.optional(),
      clazz_id: ID.optional(),
      from: rangeQuery.from,
      to: rangeQuery.to,
      zone: rangeQuery.zone,
      ...pageQuery,
    },
    query_rules: [
      ...rangeRules,
      rule(['student_id', 'teacher_id'], (query: Subject) => query.student_id == null || query.teacher_id == null, {
        path: 'teacher_id',
        message: 'excludes student_id',
      }),
    ],
    output: page(SourceRow).extend({ figure: z.enum(FIGURES), included: z.boolean() }),
  }),
};
