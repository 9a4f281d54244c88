import type { AnyCall } from '@teaching/contracts';

interface Tag {
  name: string;
  description: string;
  /** Whose calls stand here: the first two parts of their ids. */
  of: readonly string[];
}

const tag = (name: string, description: string, ...of: string[]): Tag => ({ name, description, of });

/** The chapters of the document and what stands in them, in reading order. */
const CHAPTERS: Readonly<Record<string, readonly Tag[]>> = {
  Organization: [
    tag(
      'People',
      'The directory: students, teachers, guardians, and who asks.',
      'course.member',
      'clazz.member',
      'clazz.guardian',
      'clazz.me',
    ),
    tag(
      'Rules',
      'The policy of the organization: roll call, leave, charges, balances, zone, currency.',
      'clazz.policy',
    ),
    tag(
      'Holidays and closures',
      'Days without lessons, and closing at short notice.',
      'clazz.holiday',
      'clazz.closure',
    ),
    tag('Rooms', 'The rooms, how many people fit, and which are free.', 'clazz.room'),
    tag('Changes', 'What changes, told to a page that is open.', 'gateway.changes'),
  ],
  Catalogue: [
    tag('Courses', 'What is taught.', 'course.course'),
    tag('Course sections', 'The parts of a course, in order.', 'course.section'),
    tag('Course categories', 'A tree to sort courses and packages by.', 'course.category'),
    tag('Course groups', 'Named sets of courses, for oneself or the whole organization.', 'course.group'),
    tag('Course packages', 'What is sold: course templates with hours and a price.', 'package.package'),
    tag('Package items', 'What a package holds.', 'package.item'),
    tag('Package versions', 'What was published and sold, for good.', 'package.version'),
  ],
  Classes: [
    tag('Classes', 'From draft to completion.', 'clazz.clazz'),
    tag('Enrolment', 'Who attends a class: enrol, suspend, resume, withdraw, transfer.', 'clazz.enrolment'),
    tag('Teachers and students', 'Who teaches whom, now or at another time.', 'clazz.relation'),
  ],
  Timetable: [
    tag('Lessons', 'Single lessons: schedule, move, cancel, restore.', 'clazz.lesson'),
    tag('Lesson series', 'Lessons that come again by a rule.', 'clazz.series'),
    tag('Substitution', 'When a teacher is away.', 'clazz.substitution', 'clazz.substitute'),
    tag('Calendar feed', 'A secret address for calendar programs.', 'clazz.calendar'),
  ],
  Attendance: [
    tag('Roll call', 'Who came. A mark charges hours and feeds the statistics at once.', 'clazz.roll_call'),
    tag('Leave and make-up', 'Asking, deciding, and making up for what was missed.', 'clazz.leave', 'clazz.make_up'),
  ],
  'Hours and money': [
    tag('Lesson hours', 'Grants, balances, the ledger, transfers, refunds, receipts.', 'clazz.hour', 'clazz.receipt'),
  ],
  Practice: [
    tag('Practice', 'Exercises and what students hand in (lianxi).', 'course.lianxi', 'course.submission'),
    tag('Marking', 'What waits to be marked, marks, release (piyue).', 'course.piyue'),
    tag('Plans', 'What students mean to do on which days (jihua).', 'course.jihua'),
    tag('Check-ins', 'That they did it, and for how long without a break (daka).', 'course.daka'),
  ],
  'Looking back': [
    tag(
      'Statistics',
      'Figures of students, teachers, classes and the organization, each down to its source rows.',
      'stats.my_lessons',
      'stats.teacher_detail',
      'stats.clazz',
      'stats.org_overview',
      'stats.explain',
    ),
    tag('Audit trail', 'Who did what, in a chain that shows every change to it.', 'clazz.audit'),
    tag('Refusals', 'Who tried what they may not.', 'clazz.refusal'),
  ],
};
const ALL = Object.values(CHAPTERS).flat();

const groupOf = ({ id }: AnyCall): string => id.split('.').slice(0, 2).join('.');

/** Under which heading a call stands; one that nobody sorted stands under its own name. */
export const tagOf = (call: AnyCall): string => ALL.find(({ of }) => of.includes(groupOf(call)))?.name ?? groupOf(call);

/** The headings that these calls need, with the chapters they stand in. */
export const headings = (calls: readonly AnyCall[]) => {
  const used = new Set(calls.map(tagOf));
  const shown = (tags: readonly Tag[]): Tag[] => tags.filter(({ name }) => used.has(name));
  return {
    tags: shown(ALL).map(({ name, description }) => ({ name, description })),
    'x-tagGroups': Object.entries(CHAPTERS)
      .map(([name, tags]) => ({ name, tags: shown(tags).map((one) => one.name) }))
      .filter(({ tags }) => tags.length > 0),
  };
};
