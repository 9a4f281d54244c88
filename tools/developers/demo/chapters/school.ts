import { isTrue, present, refused, same } from '../expectation.ts';
import type { Stage } from '../scenario-stage.ts';

/** The data that later chapters use. */
export interface School {
  category_id: string;
  /** Courses by language. */
  courses: { chinese: string; spanish: string; arabic: string; english: string };
  /** Of the Chinese course, in order. */
  sections: string[];
}

const MEMBERS = [
  { user_id: 'sun', role: 'SUPERVISOR', display_name: '孙校长', external_id: 'HR-001' },
  { user_id: 'li', role: 'TEACHER', display_name: '李老师' },
  { user_id: 'vega', role: 'TEACHER', display_name: 'Inés Vega' },
  { user_id: 'amina', role: 'STUDENT', display_name: 'أمينة' },
  { user_id: 'ben', role: 'STUDENT', display_name: 'Ben O’Neill' },
  { user_id: 'chloe', role: 'STUDENT', display_name: 'Chloé Martin' },
  { user_id: 'dina', role: 'GUARDIAN', display_name: 'دينا' },
] as const;

const people = async ({ as, say }: Stage): Promise<void> => {
  say('The supervisor brings in the directory of the school; sending it twice changes nothing.');
  const body = { members: [...MEMBERS] };
  same('people added', (await as.sun.putMembers({ body })).data.created, MEMBERS.length);
  same('people left alone', (await as.sun.putMembers({ body })).data.unchanged, MEMBERS.length);
  say('A student may not read it.');
  await refused(as.ben.listMembers({}), 403, 'forbidden');
  say('A mother is linked to her child, and may see prices.');
  const guardians = [{ user_id: 'dina', relation: 'mother', money: true }];
  await as.sun.putGuardians({ path: { user_id: 'amina' }, body: { guardians } });
  const { children } = (await as.dina.getMe({})).data;
  same(
    'her children',
    children.map((child) => child.user_id),
    ['amina'],
  );
};

const courses = async ({ as, say }: Stage): Promise<Pick<School, 'category_id' | 'courses'>> => {
  say('Categories form a tree; siblings have different names.');
  const languages = (await as.sun.createCourseCategory({ body: { name: 'Languages' } })).data.id;
  const asia = { name: '东亚语言', parent_id: languages };
  const category_id = (await as.sun.createCourseCategory({ body: asia })).data.id;
  await refused(as.sun.createCourseCategory({ body: asia }), 409, 'duplicate');

  say('Courses in several languages; teachers write their own.');
  const status = 'active';
  const make = async (who: 'li' | 'vega', title: string, description: string, category_id = languages) =>
    (await as[who].createCourse({ body: { title, description, category_id, status } })).data.id;
  const made = {
    chinese: await make('li', '初级汉语', '拼音、汉字和日常会话', category_id),
    spanish: await make('vega', 'Español para principiantes', 'Saludos, números y la vida cotidiana'),
    arabic: await make('li', 'العربية للمبتدئين', 'الحروف والقراءة والمحادثة'),
    english: await make('vega', 'English for travellers', 'Airports, hotels and small talk'),
  };
  const found = (await as.ben.listCourses({ query: { keyword: '汉语' } })).data.items;
  same(
    'courses with 汉语',
    found.map((course) => course.id),
    [made.chinese],
  );
  return { category_id, courses: made };
};

const sections = async ({ as, say }: Stage, course_id: string): Promise<string[]> => {
  say('Sections of a course have an order, which one call changes.');
  const ids: string[] = [];
  for (const title of ['拼音', '问候', '数字']) {
    ids.push((await as.li.createCourseSection({ path: { course_id }, body: { title } })).data.id);
  }
  const wanted = ids.toReversed();
  const ordered = await as.li.reorderCourseSections({ path: { course_id }, body: { section_ids: wanted } });
  same(
    'the new order',
    ordered.data.items.map((section) => section.id),
    wanted,
  );
  return wanted;
};

const group = async ({ as, say }: Stage, course_ids: string[]): Promise<void> => {
  say('A group of courses is private until it is made visible to the whole organization.');
  const made = (await as.vega.createCourseGroup({ body: { name: 'Start here' } })).data;
  await as.vega.putCourseGroupCourses({ path: { id: made.id }, body: { course_ids } });
  same('groups for everyone', (await as.ben.listOrganizationVisibleCourseGroups({})).data.items.length, 0);
  await as.vega.updateCourseGroup({ path: { id: made.id }, body: { org_visible: true } });
  const seen = (await as.ben.listOrganizationVisibleCourseGroups({ query: { keyword: 'START' } })).data.items;
  isTrue('the group has its courses', present('the group', seen[0]).courses.length === course_ids.length);
};

export const school = async (stage: Stage): Promise<School> => {
  stage.chapter('A school with people and courses');
  await people(stage);
  const made = await courses(stage);
  const order = await sections(stage, made.courses.chinese);
  await group(stage, Object.values(made.courses));
  return { ...made, sections: order };
};
