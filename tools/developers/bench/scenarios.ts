import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type ClazzData, type Data, dayBefore, type LessonData, type PackageData, WORDS } from './bench-data.ts';
import { type NextCall, type Outcome, runLoad, send, sendByClock } from './load.ts';
import type { System } from './system.ts';

const BASE = '/api/v1/clazz';

/** The items one after the other, round and round. */
const turns = <T>(items: readonly T[]): (() => T) => {
  let next = 0;
  return () => {
    const item = items[next];
    if (item === undefined) throw new Error('There is nothing to work on');
    next = (next + 1) % items.length;
    return item;
  };
};

/** W1: the 20 items of a package. */
export const listItems = (packages: readonly PackageData[]): NextCall => {
  const next = turns(packages);
  return () => {
    const { token, id } = next();
    return { method: 'GET', path: `${BASE}/course-package/item/list/${id}`, token };
  };
};

/** W3: packages of an organization by keyword, sorted, one page. */
export const searchPackages = (packages: readonly PackageData[]): NextCall => {
  const [next, word] = [turns(packages), turns(WORDS)];
  return () => ({
    method: 'GET',
    path: `${BASE}/course-package/list/org?keyword=${word()}&sort=title&limit=20`,
    token: next().token,
  });
};

const Items = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      course_id: z.string(),
      course_section_id: z.string().nullable(),
      title: z.string(),
      hours: z.string(),
      note: z.string().nullable(),
    }),
  ),
});
type Item = z.infer<typeof Items>['items'][number];

const CHANGED = 3;

/** The next list: three items changed, the last one removed, a new one in its place. */
const edited = (items: readonly Item[], course_id: string, round: number): Partial<Item>[] => {
  const kept = items.slice(0, -1);
  const isChanged = (index: number): boolean => (index + CHANGED * round) % kept.length < CHANGED;
  const list = kept.map((item, index) => (isChanged(index) ? { ...item, title: `Lesson in round ${round}` } : item));
  return [...list, { course_id, title: `New in round ${round}`, hours: '1.00', note: null }];
};

/** W2: the items of a package as a new list. A package is edited by one connection at a time. */
export const syncItems = (packages: readonly PackageData[]) => {
  const known = new Map<string, readonly Item[]>();
  let free: PackageData[] = [];
  let round = 0;
  const next: NextCall = () => {
    const one = free.shift();
    if (one === undefined) throw new Error('There are more connections than packages');
    const { token, id, course_id } = one;
    const items = known.get(id);
    known.delete(id);
    const onAnswer = (body: string): void => {
      known.set(id, Items.parse(JSON.parse(body)).items);
      free.push(one);
    };
    if (items === undefined) return { method: 'GET', path: `${BASE}/course-package/item/list/${id}`, token, onAnswer };
    round += 1;
    const body = { package_id: id, items: edited(items, course_id, round) };
    return { method: 'POST', path: `${BASE}/course-package/item/sync`, token, body, onAnswer };
  };
  /** Requests in progress at the end of a run may be stored or not, so the list is read again. */
  const begin = (): void => void (free = [...packages]);
  return { begin, next };
};

const Copied = z.object({ id: z.string() });

/** A package is copied with its items, and the copy published: two requests. A published package is locked for good. */
const publishCopies = (packages: readonly PackageData[]): NextCall => {
  const next = turns(packages);
  const copies: { token: string; id: string }[] = [];
  return () => {
    const copy = copies.shift();
    if (copy !== undefined)
      return { method: 'POST', path: `${BASE}/course-package/publish/${copy.id}`, token: copy.token };
    const { token, id } = next();
    const onAnswer = (body: string): void => void copies.push({ token, id: Copied.parse(JSON.parse(body)).id });
    return { method: 'POST', path: `${BASE}/course-package/${id}/copy`, token, body: {}, onAnswer };
  };
};

const createClazz = (clazzes: readonly ClazzData[]): NextCall => {
  const next = turns(clazzes);
  let count = 0;
  return () => {
    const body = { name: `Class made as number ${(count += 1)}`, lead_teacher_id: 'teacher-0' };
    return { method: 'POST', path: BASE, token: next().token, body };
  };
};

const markOf = (n: number): string => (n % 10 === 9 ? 'absent' : n % 15 === 7 ? 'late' : 'present');

const rollCall = (lessons: LessonData[]): NextCall => {
  return () => {
    const lesson = lessons.shift();
    if (lesson === undefined) throw new Error('No lesson is left to take the roll call of');
    const { token, id, students } = lesson;
    const body = { marks: students.map((student_id, n) => ({ student_id, mark: markOf(n) })) };
    return { method: 'PUT', path: `${BASE}/lesson/${id}/roll-call`, token, body };
  };
};

interface Plan {
  connections: number;
  seconds: number;
}

/** A load in one system. */
export interface Load {
  /** Creates the data that a run will use up; not measured. */
  prepare?: (plan: Plan) => Promise<void>;
  run: (plan: Plan) => Promise<Outcome & { lag?: number[] }>;
}

const repeated = (address: string, next: NextCall): Load => ({ run: (plan) => runLoad(address, next, plan) });

/** A roll call uses up a lesson. `bestRate`: requests a second so far; a guess until it is measured. */
const rollCallLoad = ({ address }: System, data: Data): Load & { lastToken: () => string } => {
  const lessons: LessonData[] = [];
  const next = rollCall(lessons);
  let bestRate = 150;
  let token = '';
  return {
    prepare: async ({ connections, seconds }) => {
      const needed = Math.ceil(1.5 * bestRate * seconds) + 2 * connections;
      while (lessons.length < needed) lessons.push(...(await data.moreLessons()));
      token = lessons[0]?.token ?? '';
    },
    run: async (plan) => {
      const outcome = await runLoad(address, next, plan);
      bestRate = Math.max(bestRate, outcome.latencies.length / outcome.seconds);
      return outcome;
    },
    lastToken: () => token,
  };
};

const Included = z.object({ included: z.boolean() });

/** Writes once more in an organization, and waits until statistics contain that write, and so all before it. */
const untilIncluded = async ({ address }: System, token: string): Promise<void> => {
  const body = { name: 'The last one', lead_teacher_id: 'teacher-0' };
  const { headers } = await send(address, { method: 'POST', path: BASE, token, body });
  const today = new Date().toISOString().slice(0, 10);
  const path = `${BASE}/stats/teacher-detail?teacher_id=nobody&from=${today}&to=${today}`;
  for (let tries = 0; tries < 60; tries += 1) {
    const answer = await fetch(`${address}${path}`, {
      headers: {
        authorization: `Bearer ${token}`,
        'x-consistency-token': headers.get('x-consistency-token') ?? '',
      },
    });
    if (Included.parse(await answer.json()).included) return;
  }
  throw new Error('The statistics did not contain a write after two minutes');
};

/** Roll calls as fast as they go, until all of them are in the statistics. */
const rollCallRate = (system: System, data: Data): Load => {
  const load = rollCallLoad(system, data);
  return {
    ...load,
    run: async (plan) => {
      const began = performance.now();
      const { latencies } = await load.run(plan);
      await untilIncluded(system, load.lastToken());
      return { latencies, seconds: (performance.now() - began) / 1_000 };
    },
  };
};

const LAG_RATE = 400;
const LOOK_MS = 100;
/** Which change statistics have of each class, and when the transaction that stored it was committed. */
const STORED = `
  select name, extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000 as at from stats.clazz
  where name like 'Class in round %' and gen = (select gen from stats.generation where state = 'current')`;
const Stored = z.array(z.object({ name: z.string(), at: z.coerce.number() }));

/** 400 class changes a second: from the answer of each until statistics have stored it, by the database's clock of commits. */
const lag = (system: System, clazzes: readonly ClazzData[]): Load => {
  const next = turns(clazzes);
  let round = 0;
  return {
    run: async ({ seconds }) => {
      const answered = new Map<string, number>();
      const stored = new Map<string, number>();
      const change: NextCall = () => {
        const { token, id } = next();
        const name = `Class in round ${(round += 1)}`;
        const onAnswer = (): void => void answered.set(name, performance.timeOrigin + performance.now());
        return { method: 'PATCH', path: `${BASE}/${id}`, token, body: { name }, onAnswer };
      };
      const look = async (): Promise<void> => {
        for (const { name, at } of Stored.parse(await system.sql(STORED))) stored.set(name, at);
      };
      const over = new AbortController();
      const looking = (async () => {
        for (; !over.signal.aborted; await sleep(LOOK_MS)) await look();
        await look();
      })();
      const outcome = await sendByClock(system.address, change, { perSecond: LAG_RATE, seconds });
      await sleep(LOOK_MS);
      over.abort();
      await looking;
      const lags = [...answered].flatMap(([name, at]) => {
        const then = stored.get(name);
        return then === undefined ? [] : [Math.max(0, then - at)];
      });
      return { ...outcome, lag: lags };
    },
  };
};

const asking = (address: string, questions: readonly { token: string; path: string }[]): Load => {
  const next = turns(questions);
  return repeated(address, () => ({ method: 'GET', ...next() }));
};

export const SCENARIOS = [
  'w1',
  'w2',
  'w3',
  'my-lessons',
  'teacher-detail',
  'timetable',
  'classes',
  'accounts',
  'create',
  'publish',
  'roll-call',
  'roll-call-rate',
  'lag',
] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** Starts a scenario in a system. */
export const loadOf = async (name: Scenario, system: System, data: Data): Promise<Load> => {
  const { address } = system;
  const range = `from=${dayBefore(28)}&to=${dayBefore(0)}`;
  switch (name) {
    case 'w1':
      return repeated(address, listItems(await data.packages(0)));
    case 'w2': {
      const { begin, next } = syncItems(await data.packages(0));
      return { prepare: async () => begin(), run: (plan) => runLoad(address, next, plan) };
    }
    case 'w3':
      return repeated(address, searchPackages(await data.packages(0)));
    case 'my-lessons': {
      const { students } = await data.school();
      return asking(
        address,
        students.map(({ token }) => ({ token, path: `${BASE}/stats/my-lessons?${range}` })),
      );
    }
    case 'teacher-detail': {
      const { teachers } = await data.school();
      return asking(
        address,
        teachers.map(({ token }) => ({ token, path: `${BASE}/stats/teacher-detail?${range}` })),
      );
    }
    case 'timetable': {
      const { token } = await data.school();
      const week = `from=${dayBefore(7)}T00:00:00Z&to=${dayBefore(0)}T00:00:00Z`;
      return asking(address, [{ token, path: `${BASE}/lesson?${week}&limit=100` }]);
    }
    case 'classes':
      return asking(address, [{ token: (await data.school()).token, path: `${BASE}?limit=20` }]);
    case 'accounts':
      return asking(address, [{ token: (await data.school()).token, path: `${BASE}/hour/account?limit=20` }]);
    case 'create':
      return repeated(address, createClazz(await data.clazzes()));
    case 'publish':
      return repeated(address, publishCopies(await data.packages(0)));
    case 'roll-call':
      return rollCallLoad(system, data);
    case 'roll-call-rate':
      return rollCallRate(system, data);
    case 'lag':
      return lag(system, await data.clazzes());
  }
};
