import {
  courseCalls,
  courseCategoryCalls,
  courseEvents,
  courseGroupCalls,
  courseSectionCalls,
  packageCalls,
  packageEvents,
} from '@teaching/contracts';
import { IDS } from './example-ids.ts';
import type { Guide } from './guide.ts';

const NOT_AUDITED = 'Nothing is charged, and there is no audit entry.';

export const COURSES: Guide = {
  whatItIs:
    'A course describes what is taught: title, description, category and sections. Each course has an owner, `teacher_id`. Classes, packages and exercises refer to courses.',
  lifeCycle:
    'A course is `draft`, `active` or `archived`; an update can set any status. A copy is a draft of the caller with the same sections and without exercises. A course can be deleted while no class, grant, package, group or exercise refers to it; otherwise 409 `in_use`. Its sections are deleted with it.',
  roles:
    'Supervisors and teachers read all courses; students and guardians read active courses. Teachers create courses and change their own. Supervisors change all courses and may set another owner.',
  effects: NOT_AUDITED,
  events: [
    courseEvents.courseCreated,
    courseEvents.courseUpdated,
    courseEvents.courseDeleted,
    courseEvents.sectionCreated,
    courseEvents.sectionDeleted,
  ],
  changes: ['course', 'section'],
  example: {
    text: 'Create an active course.',
    call: courseCalls.createCourse,
    body: { title: 'Algebra', status: 'active' },
    response: { id: IDS.course, title: 'Algebra', teacher_id: 'grace', status: 'active', version: 1 },
  },
};

export const SECTIONS: Guide = {
  whatItIs:
    'A section is a part of a course. Sections have an order, `position`, and nest one level by `parent_id`. A course has at most 1,000 sections.',
  lifeCycle:
    'A section is created at a position, by default at the end. It can be renamed and moved. Reordering needs the complete list of sections (409 `order_mismatch`). A section can be deleted while no other section, exercise or package item refers to it; otherwise 409 `in_use`.',
  roles:
    'Sections have the access of their course. Staff read all; students and guardians read those of active courses. The owner of the course and supervisors change them.',
  effects: `${NOT_AUDITED} A change of the order changes the \`version\` of each section that moves.`,
  events: [
    courseEvents.sectionCreated,
    courseEvents.sectionUpdated,
    courseEvents.sectionDeleted,
    courseEvents.sectionsReordered,
  ],
  changes: ['section'],
  example: {
    text: 'Add a section at the end of a course.',
    call: courseSectionCalls.createCourseSection,
    path: { course_id: IDS.course },
    body: { title: 'Linear equations' },
    response: { id: IDS.section, course_id: IDS.course, parent_id: null, title: 'Linear equations', position: 0 },
  },
};

export const CATEGORIES: Guide = {
  whatItIs:
    'A course category is a node of a tree that groups courses and packages. Siblings have different names without regard to case and width (409 `duplicate`).',
  lifeCycle:
    'A category can be renamed and moved; a move below itself is 409 `cycle`. It can be deleted while no category, course or package refers to it; otherwise 409 `in_use`.',
  roles: 'Supervisors and teachers read categories. Supervisors change them. Students and guardians get 403.',
  effects: NOT_AUDITED,
  events: [courseEvents.categoryCreated, courseEvents.categoryUpdated, courseEvents.categoryDeleted],
  changes: ['category'],
  example: {
    text: 'Create a category at the top level.',
    call: courseCategoryCalls.createCourseCategory,
    body: { name: 'Mathematics' },
    response: { id: IDS.category, name: 'Mathematics', parent_id: null, version: 1 },
  },
};

export const GROUPS: Guide = {
  whatItIs:
    'A course group is a named, ordered list of up to 500 courses with an owner. With `org_visible: true` the whole organization sees it.',
  lifeCycle:
    'A group is created empty; a PUT replaces its courses. It can be changed and deleted at any time. Its courses stay.',
  roles:
    'Teachers create groups and change their own; supervisors change all groups. Other people read groups that are visible to the organization; a private group is 404 for them. Students and guardians see only the active courses of a group.',
  effects: NOT_AUDITED,
  events: [
    courseEvents.groupCreated,
    courseEvents.groupUpdated,
    courseEvents.groupDeleted,
    courseEvents.groupCoursesPut,
  ],
  changes: ['group'],
  example: {
    text: 'Replace the courses of a group.',
    call: courseGroupCalls.putCourseGroupCourses,
    path: { id: IDS.group },
    body: { course_ids: [IDS.course] },
    response: {
      id: IDS.group,
      name: 'Summer school',
      courses: [{ id: IDS.course, title: 'Algebra', status: 'active' }],
    },
  },
};

export const PACKAGES: Guide = {
  whatItIs:
    'A course package is an offer: courses with a number of lesson hours, a price and a validity. Each package has an owner, `teacher_id`. A grant of hours can refer to a published version of a package.',
  lifeCycle:
    'A package is unpublished or published; `published_at` is set while it is published. Only an unpublished package can be changed or deleted (409 `package_published`). Publishing needs items (409 `package_empty`), and hours if there is a price (409 `package_incomplete`). It takes a snapshot and stores it as a new version. Unpublishing keeps snapshot and versions. A package to which a class or grant refers cannot be deleted: 409 `in_use`.',
  roles:
    'Supervisors and teachers read all packages; students and guardians read those that are active and published. Teachers create packages and change and publish their own. Supervisors change all packages and may set another owner.',
  effects:
    'Publishing offers the package to students and guardians. A grant keeps the terms of its version, so later changes do not affect hours that were bought. There is no audit entry.',
  events: [
    packageEvents.created,
    packageEvents.updated,
    packageEvents.deleted,
    packageEvents.published,
    packageEvents.unpublished,
  ],
  changes: ['package'],
  example: {
    text: 'Create a package of 20 lesson hours for 400.00 EUR.',
    call: packageCalls.createPackage,
    body: { title: 'Algebra, 20 lessons', price_minor: 40_000, currency: 'EUR', total_hours: '20' },
    response: {
      id: IDS.package,
      title: 'Algebra, 20 lessons',
      price_minor: 40_000,
      currency: 'EUR',
      total_hours: '20.00',
      published_at: null,
      version: 1,
    },
  },
};

export const ITEMS: Guide = {
  whatItIs: 'An item is one part of a package: a course or course section with a number of lesson hours.',
  lifeCycle:
    'One call replaces the items of an unpublished package. It updates items with a known `id`, creates items without `id`, and deletes the others. Positions follow the list. The same list again changes nothing.',
  roles:
    'Supervisors replace items. The items have the access of their package for reading: staff read all, students and guardians those of active and published packages.',
  effects: 'Publishing the package copies its items to the snapshot. Nothing is charged, and there is no audit entry.',
  events: [packageEvents.itemsSynced],
  changes: ['package'],
  example: {
    text: 'Give a package one item.',
    call: packageCalls.syncPackageItems,
    body: { package_id: IDS.package, items: [{ course_id: IDS.course, title: 'Algebra', hours: '20' }] },
    response: {
      items: [{ id: IDS.item, course_id: IDS.course, title: 'Algebra', hours: '20.00', position: 0 }],
      created: 1,
      updated: 0,
      deleted: 0,
      unchanged: 0,
    },
  },
};

export const VERSIONS: Guide = {
  whatItIs:
    'A version is the snapshot of a package at one publication: package, items, publisher, time, and a SHA-256 that proves the content.',
  lifeCycle:
    'Publishing creates the next version, numbered from 1. Versions never change. They can be listed, read and compared.',
  roles:
    'Versions have the access of their package: staff read all, students and guardians those of active and published packages.',
  effects: 'A grant refers to a version by `package_id` and `package_version`. Reading creates no audit entry.',
  events: [packageEvents.published],
  changes: ['package'],
  example: {
    text: 'Compare version 1 and version 2 of a package.',
    call: packageCalls.comparePackageVersions,
    path: { id: IDS.package },
    query: { from: '1', to: '2' },
    response: {
      from: 1,
      to: 2,
      fields: [{ field: 'price_minor', from: 40_000, to: 42_000 }],
      items: { added: [], removed: [], changed: [] },
    },
  },
};
