import { inParallel } from '../../operators/cli/in-parallel.ts';
import type { SchoolClazz } from './clazzes.ts';
import type { Courses } from './courses.ts';
import { allOf, HEAD, type SchoolContext, PARALLEL } from './school-context.ts';

/** The products; the title contains the hours. */
export interface Offer {
  title: string;
  hours: number;
  price_minor: number;
  /** Its price in the version that was sold before this one. */
  former_price_minor?: number;
}

const VALID_DAYS = 365;
const DRAFT = 'Summer camp 夏令营';

const OFFERS: readonly Offer[] = [
  { title: 'Spanish, 40 hours', hours: 40, price_minor: 68_000, former_price_minor: 64_000 },
  { title: 'Chinese, 40 hours 汉语40课时', hours: 40, price_minor: 76_000, former_price_minor: 72_000 },
  { title: 'English, 20 hours', hours: 20, price_minor: 42_000 },
  { title: 'French, 20 hours', hours: 20, price_minor: 42_000 },
  { title: 'Arts, 20 hours', hours: 20, price_minor: 36_000 },
  { title: "Children's club, 30 hours", hours: 30, price_minor: 45_000 },
  { title: 'Music, 20 hours', hours: 20, price_minor: 50_000, former_price_minor: 48_000 },
  { title: 'Maths, 30 hours', hours: 30, price_minor: 54_000 },
];

/** Ids of packages by title. */
export type Packages = ReadonlyMap<string, string>;

/** Every section of the offer's courses, with an even part of the hours. */
const itemsOf = ({ hours }: Offer, clazzes: readonly SchoolClazz[], courses: Courses) => {
  const sections = clazzes.flatMap(({ course, sections }) => {
    const made = courses.get(course);
    return sections.flatMap((title, n) => {
      const course_section_id = made?.section_ids[n];
      return made === undefined || course_section_id === undefined
        ? []
        : [{ course_id: made.id, course_section_id, title }];
    });
  });
  const each = Math.floor((hours * 2) / sections.length) / 2;
  const last = hours - each * (sections.length - 1);
  return sections.map((item, n) => ({ ...item, hours: (n === sections.length - 1 ? last : each).toFixed(2) }));
};

const makeOffer = async (
  { office, clazzes }: SchoolContext,
  offer: Offer,
  courses: Courses,
  known?: { id: string },
): Promise<string> => {
  const { title, hours, price_minor, former_price_minor } = offer;
  const sold = clazzes.filter((clazz) => clazz.package === title);
  const { teacher = HEAD, course = '' } = sold[0] ?? {};
  const body = {
    title,
    description: `For ${sold.map(({ name }) => name).join(', ')}. Valid for a year.`,
    category_id: courses.get(course)?.category_id ?? null,
    teacher_id: teacher,
    price_minor: former_price_minor ?? price_minor,
    currency: 'EUR',
    total_hours: hours.toFixed(2),
    validity_days: VALID_DAYS,
  };
  const id = known?.id ?? (await office.createPackage({ body })).data.id;
  const path = { id };
  const versions = (await office.listPackageVersions({ path, query: {} })).data.items.length;
  if (versions === 0) {
    await office.syncPackageItems({ body: { package_id: id, items: itemsOf(offer, sold, courses) } });
    await office.publishPackage({ path });
  }
  if (former_price_minor === undefined || versions > 1) return id;
  const { published_at } = (await office.getPackage({ path })).data;
  if (published_at !== null) await office.unpublishPackage({ path });
  await office.updatePackage({ path, body: { price_minor } });
  await office.publishPackage({ path });
  return id;
};

/** Packages, published, some of them in two versions; and one that is still being written. */
export const makePackages = async (making: SchoolContext, courses: Courses): Promise<Packages> => {
  const { office, clazzes, onStep } = making;
  const there = await allOf((cursor) => office.listPackages({ query: { limit: '100', cursor } }));
  const find = (wanted: string) => there.find(({ title }) => title === wanted);
  const offers = OFFERS.filter(({ title }) => clazzes.some((clazz) => clazz.package === title));
  const made = await inParallel(offers, PARALLEL, async (offer) => {
    const id = await makeOffer(making, offer, courses, find(offer.title));
    onStep();
    return [offer.title, id] as const;
  });
  if (find(DRAFT) === undefined)
    await office.createPackage({
      body: {
        title: DRAFT,
        description: 'Two weeks in July: mornings in class, afternoons outside',
        total_hours: '30.00',
      },
    });
  return new Map(made);
};
