import { z } from 'zod';
import type { FigureSeed } from '../load/work.ts';
import { noResults } from '../report.ts';
import { preparing } from '../seed/api.ts';
import type { LoadName } from '../site/data.ts';
import type { Load, Site } from '../site/site.ts';
import type { Ratio } from './interval.ts';
import { measureContenders, type Measuring } from './loads.ts';
import type { Contender } from './slices.ts';

/** What an operation costs by one thing that grows. */
export interface Growth {
  operation: string;
  dimension: string;
  /** The smallest first. */
  costs: { size: string; cpuUs: number; p50: number }[];
  /** CPU at the largest to that at the smallest. */
  factor: Ratio | undefined;
}

/** One system for each size of data, and on the first of them sites with classes and packages of each size. */
export interface Growing {
  data: readonly Site[];
  clazzes: readonly Site[];
  packages: readonly Site[];
}

const OPERATIONS = [
  'w1',
  'w2',
  'w3',
  'classes',
  'accounts',
  'timetable',
  'my-lessons',
  'teacher-detail',
  'roll-call',
] as const satisfies readonly LoadName[];
const BY_ITEMS = ['w1', 'w2'] as const;
const DEEP = 50;

/** Lists of at least 50 pages that are so small, and a load whose people may ask for them. */
const LISTS = {
  packages: { like: 'w3', path: '/api/v1/clazz/course-package/list/org?sort=title&limit=5' },
  accounts: { like: 'accounts', path: '/api/v1/clazz/hour/account?limit=3' },
  timetable: {
    like: 'timetable',
    path: '/api/v1/clazz/lesson?from=2040-01-01T00:00:00Z&to=2040-03-01T00:00:00Z&limit=9',
  },
} as const;

const Page = z.object({ next_cursor: z.string() });

/** A page that is reached by the cursor of the one before it. */
const deepPage = ({ system }: Site, { token, path }: FigureSeed): Promise<FigureSeed> =>
  preparing(system.address, async ({ ask }) => {
    let page = path;
    for (let n = 1; n < DEEP; n += 1) {
      const { next_cursor } = Page.parse(await ask({ method: 'GET', path: page, token }));
      page = `${path}&cursor=${encodeURIComponent(next_cursor)}`;
    }
    return { token, path: page };
  });

const pagesOf = async (site: Site, list: keyof typeof LISTS, load: Load): Promise<Contender[]> => {
  const { like, path } = LISTS[list];
  const first = { token: await site.tokenFor(like), path };
  const pages = { 'first page': first, [`page ${DEEP}`]: await deepPage(site, first) };
  return Promise.all(
    Object.entries(pages).map(async ([name, page]) => ({
      ...(await site.asking(`${list}, ${name}`, [page], load)),
      name,
    })),
  );
};

/** Operations by what grows, and what is measured in turn for each: the smallest first. */
const plan = ({ data, clazzes, packages }: Growing, load: Load) => {
  const [smallest] = data;
  if (smallest === undefined) throw new Error('There is nothing that grows');
  const each = (sites: readonly Site[], name: LoadName) => () => Promise.all(sites.map((site) => site.own(name, load)));
  const lists = Object.keys(LISTS).filter((name): name is keyof typeof LISTS => name in LISTS);
  return [
    ...OPERATIONS.map((name) => ({ operation: name, dimension: 'schools', contenders: each(data, name) })),
    ...lists.map((list) => ({
      operation: `list of ${list}`,
      dimension: 'page',
      contenders: () => pagesOf(smallest, list, load),
    })),
    { operation: 'roll-call', dimension: 'class', contenders: each(clazzes, 'roll-call') },
    ...BY_ITEMS.map((name) => ({ operation: name, dimension: 'package', contenders: each(packages, name) })),
  ];
};

/** How many contenders there are, for the bar. */
export const growthContenders = (sizes: { data: number; clazzes: number; packages: number }): number =>
  OPERATIONS.length * sizes.data + Object.keys(LISTS).length * 2 + sizes.clazzes + BY_ITEMS.length * sizes.packages;

/** Measures every operation at every size, the sizes in turn. */
export const measureGrowth = async (measuring: Measuring, growing: Growing, load: Load): Promise<void> => {
  for (const { operation, dimension, contenders } of plan(growing, load)) {
    const results = noResults();
    const all = await contenders();
    const pairs = ([first, ...more]: readonly Contender[]) => {
      const last = more.at(-1);
      return first === undefined || last === undefined ? [] : [[last, first] as [Contender, Contender]];
    };
    await measureContenders({ ...measuring, results }, `${operation} by ${dimension}`, all, load, { pairs });
    measuring.results.growth.push({
      operation,
      dimension,
      costs: results.rows.map(({ contender, cpuUs, times }) => ({ size: contender, cpuUs, p50: times.p50 })),
      factor: results.comparisons[0]?.cpu,
    });
  }
};
