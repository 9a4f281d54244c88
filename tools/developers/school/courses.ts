import { inParallel } from '../../operators/cli/in-parallel.ts';
import type { SchoolClazz } from './clazzes.ts';
import { allOf, HEAD, type SchoolContext, PARALLEL } from './school-context.ts';

/** A course as later steps need it. */
export interface MadeCourse {
  id: string;
  category_id: string | null;
  /** Of its sections, in their order. */
  section_ids: readonly string[];
}
/** By title. */
export type Courses = ReadonlyMap<string, MadeCourse>;

/** Categories with their parents. */
const CATEGORIES: readonly (readonly [name: string, parent?: string])[] = [
  ['Languages 语言'],
  ['Music'],
  ['Mathematics'],
  ['Arts'],
  ['European languages', 'Languages 语言'],
  ['Asian languages', 'Languages 语言'],
];

const GROUPS = [
  { name: 'Start here 从这里开始', org_visible: true, titles: ['Español A1', '汉语 HSK 2', 'English for work'] },
  { name: 'For children 少儿课程', org_visible: true, titles: ['少儿中文', 'Piano for children'] },
  { name: 'Ideas for next year', org_visible: false, titles: ['Choir', 'Français A2'] },
] as const;

const makeCategories = async ({ office }: SchoolContext): Promise<Map<string, string>> => {
  const there = await allOf((cursor) => office.listCourseCategories({ query: { limit: '100', cursor } }));
  const ids = new Map(there.map(({ name, id }) => [name, id]));
  for (const [name, parent] of CATEGORIES) {
    if (ids.has(name)) continue;
    const parent_id = parent === undefined ? null : (ids.get(parent) ?? null);
    ids.set(name, (await office.createCourseCategory({ body: { name, parent_id } })).data.id);
  }
  return ids;
};

const makeSections = async (
  { as }: SchoolContext,
  { teacher, sections }: SchoolClazz,
  course_id: string,
): Promise<string[]> => {
  const path = { course_id };
  const there = (await as(teacher).listCourseSections({ path })).data.items;
  const ids: string[] = [];
  for (const title of sections) {
    const known = there.find((section) => section.title === title);
    ids.push(known?.id ?? (await as(teacher).createCourseSection({ path, body: { title } })).data.id);
  }
  return ids;
};

const makeGroups = async ({ office }: SchoolContext, courses: Courses): Promise<void> => {
  const there = await allOf((cursor) => office.listCourseGroups({ query: { limit: '100', cursor } }));
  for (const { name, org_visible, titles } of GROUPS) {
    const known = there.find((group) => group.name === name);
    const id = known?.id ?? (await office.createCourseGroup({ body: { name, org_visible, owner_id: HEAD } })).data.id;
    const course_ids = titles.flatMap((title) => courses.get(title)?.id ?? []);
    if ((known?.courses.length ?? 0) > 0 || course_ids.length === 0) continue;
    await office.putCourseGroupCourses({ path: { id }, body: { course_ids } });
  }
};

/** Categories, a course with its sections for each class, and groups of courses. */
export const makeCourses = async (making: SchoolContext): Promise<Courses> => {
  const { office, clazzes, as, onStep } = making;
  const categories = await makeCategories(making);
  const there = await allOf((cursor) => office.listCourses({ query: { limit: '100', cursor } }));
  const made = await inParallel(clazzes, PARALLEL, async (clazz) => {
    const { course: title, category, teacher } = clazz;
    const known = there.find((course) => course.title === title);
    const category_id = known?.category_id ?? categories.get(category) ?? null;
    const body = { title, category_id, status: 'active' as const, description: `With ${clazz.sections.join(', ')}` };
    const id = known?.id ?? (await as(teacher).createCourse({ body })).data.id;
    const section_ids = await makeSections(making, clazz, id);
    onStep();
    return [title, { id, category_id, section_ids }] as const;
  });
  const courses = new Map(made);
  await makeGroups(making, courses);
  return courses;
};
