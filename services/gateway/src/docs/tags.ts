import type { AnyCall } from '@teaching/contracts';
import { HOURS, LEAVE, ROLL_CALL } from './guides/attendance.guides.ts';
import { CATEGORIES, COURSES, GROUPS, ITEMS, PACKAGES, SECTIONS, VERSIONS } from './guides/catalogue.guides.ts';
import { CLAZZES, ENROLMENT, RELATIONS } from './guides/class.guides.ts';
import { CHECK_INS, EXERCISES, MARKING, PLANS } from './guides/exercise.guides.ts';
import { type Guide, toMarkdown } from './guides/guide.ts';
import { CHANGES, HOLIDAYS, PEOPLE, POLICY, ROOMS } from './guides/organization.guides.ts';
import { AUDIT_LOG, REFUSALS, STATISTICS } from './guides/report.guides.ts';
import { CALENDAR, LESSONS, SERIES, SUBSTITUTION } from './guides/timetable.guides.ts';

export interface Tag {
  name: string;
  guide: Guide;
  /** The groups of calls with this tag: the first two parts of their ids. */
  groups: readonly string[];
}

const tag = (name: string, guide: Guide, ...groups: string[]): Tag => ({ name, guide, groups });

/** The chapters of the document with their tags, in reading order. */
const CHAPTERS: Readonly<Record<string, readonly Tag[]>> = {
  Organization: [
    tag('People', PEOPLE, 'clazz.member', 'clazz.me'),
    tag('Policy', POLICY, 'clazz.policy'),
    tag('Holidays and closures', HOLIDAYS, 'clazz.holiday', 'clazz.closure'),
    tag('Rooms', ROOMS, 'clazz.room'),
    tag('Changes', CHANGES, 'gateway.changes'),
  ],
  Catalogue: [
    tag('Courses', COURSES, 'course.course'),
    tag('Course sections', SECTIONS, 'course.section'),
    tag('Course categories', CATEGORIES, 'course.category'),
    tag('Course groups', GROUPS, 'course.group'),
    tag('Course packages', PACKAGES, 'package.package'),
    tag('Package items', ITEMS, 'package.item'),
    tag('Package versions', VERSIONS, 'package.version'),
  ],
  Classes: [
    tag('Classes', CLAZZES, 'clazz.clazz'),
    tag('Enrolment', ENROLMENT, 'clazz.enrolment'),
    tag('Teachers and students', RELATIONS, 'clazz.relation'),
  ],
  Timetable: [
    tag('Lessons', LESSONS, 'clazz.lesson'),
    tag('Lesson series', SERIES, 'clazz.series'),
    tag('Substitution', SUBSTITUTION, 'clazz.substitution'),
    tag('Calendar feed', CALENDAR, 'clazz.calendar'),
  ],
  Attendance: [tag('Roll call', ROLL_CALL, 'clazz.roll_call'), tag('Leave and make-up', LEAVE, 'clazz.leave')],
  'Hours and money': [tag('Lesson hours', HOURS, 'clazz.hour')],
  'Exercises and plans': [
    tag('Exercises', EXERCISES, 'course.lianxi', 'course.submission'),
    tag('Marking', MARKING, 'course.piyue'),
    tag('Plans', PLANS, 'course.jihua'),
    tag('Check-ins', CHECK_INS, 'course.daka'),
  ],
  Reports: [
    tag(
      'Statistics',
      STATISTICS,
      'stats.my_lessons',
      'stats.teacher_detail',
      'stats.clazz',
      'stats.org_overview',
      'stats.explain',
    ),
    tag('Audit log', AUDIT_LOG, 'clazz.audit'),
    tag('Refusals', REFUSALS, 'clazz.refusal'),
  ],
};

/** All tags, in reading order. */
export const TAGS: readonly Tag[] = Object.values(CHAPTERS).flat();

const groupOf = ({ id }: AnyCall): string => id.split('.').slice(0, 2).join('.');

/** The name of the tag of a call. A group of calls without a tag is its own tag. */
export const tagOf = (call: AnyCall): string =>
  TAGS.find(({ groups }) => groups.includes(groupOf(call)))?.name ?? groupOf(call);

/** The `tags` and `x-tagGroups` of a document with these calls. */
export const headings = (calls: readonly AnyCall[]) => {
  const used = new Set(calls.map(tagOf));
  const shown = (tags: readonly Tag[]): Tag[] => tags.filter(({ name }) => used.has(name));
  return {
    tags: shown(TAGS).map(({ name, guide }) => ({ name, description: toMarkdown(guide) })),
    'x-tagGroups': Object.entries(CHAPTERS)
      .map(([name, tags]) => ({ name, tags: shown(tags).map((one) => one.name) }))
      .filter(({ tags }) => tags.length > 0),
  };
};
