import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Answer, type Api, textAt } from '../system/plain-api.ts';
import type { Readers } from './readers.worker.ts';
import { holdsWithin, pause } from '../system/poll.ts';

/** One request and how it went. */
export interface Shot {
  kind: string;
  /** When it began, in epoch milliseconds. */
  at: number;
  ms: number;
  /** 0: nobody answered. */
  status: number;
  /** The problem's code, and what it says besides; empty when it went well. */
  code: string;
  detail: string;
  retryAfter: string | undefined;
}

/** What may be asked, by name. `n` counts up over all of them. */
export type Kinds = Readonly<Record<string, (n: number) => Promise<Answer>>>;

export interface Traffic {
  /** All that were answered so far. */
  shots: readonly Shot[];
  /** Begins no more; resolves when the last one is answered. */
  stop: () => Promise<readonly Shot[]>;
}

const TICK_MS = 5;
const MOST_AT_ONCE = 2_000;

const shoot = async (kind: string, ask: Kinds[string], n: number): Promise<Shot> => {
  const at = Date.now();
  const begun = performance.now();
  const { status, body, retryAfter } = await ask(n);
  const said = (name: string): string => (status >= 200 && status < 300 ? '' : textAt(body, name));
  return { kind, at, ms: performance.now() - begun, status, code: said('code'), detail: said('detail'), retryAfter };
};

/** So many requests a second, one kind after the other, whether or not earlier ones were answered. */
export const startTraffic = (kinds: Kinds, rate: number): Traffic => {
  const names = Object.keys(kinds);
  const shots: Shot[] = [];
  const open = new Set<Promise<void>>();
  const since = performance.now();
  let begun = 0;
  const one = (): void => {
    const kind = names[begun % names.length] ?? '';
    const ask = kinds[kind];
    if (ask === undefined) throw new Error('There is nothing to ask');
    const shot = shoot(kind, ask, (begun += 1)).then((it) => void shots.push(it));
    open.add(shot);
    void shot.finally(() => open.delete(shot));
  };
  const timer = setInterval(() => {
    while (begun < ((performance.now() - since) / 1_000) * rate && open.size < MOST_AT_ONCE) one();
  }, TICK_MS);
  return {
    shots,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
      return shots;
    },
  };
};

export const trafficFor = async (kinds: Kinds, rate: number, ms: number): Promise<readonly Shot[]> => {
  const traffic = startTraffic(kinds, rate);
  await pause(ms);
  return traffic.stop();
};

/** So many callers, each of whom asks again as soon as it is answered; until told to stop. */
export const startCallers = (kinds: Kinds, callers: number): Traffic => {
  const names = Object.keys(kinds);
  const shots: Shot[] = [];
  const stopping = new AbortController();
  let count = 0;
  const caller = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const kind = names[count % names.length] ?? '';
      const ask = kinds[kind];
      if (ask === undefined) throw new Error('There is nothing to ask');
      shots.push(await shoot(kind, ask, (count += 1)));
      // Nobody hammers at a closed door.
      if (shots.at(-1)?.status === 0) await pause(10);
    }
  };
  const all = Array.from({ length: callers }, caller);
  return {
    shots,
    stop: async () => {
      stopping.abort();
      await Promise.all(all);
      return shots;
    },
  };
};

/** Callers of one path in a thread of their own, so that large answers do not disturb whoever measures beside them. */
export const startReaders = (readers: Readers): { stop: () => Promise<readonly Shot[]> } => {
  const thread = new Worker(new URL('readers.worker.ts', import.meta.url), { workerData: readers });
  return {
    stop: async () => {
      thread.postMessage('stop');
      const [shots] = (await once(thread, 'message')) as [Shot[]];
      await thread.terminate();
      return shots;
    },
  };
};

export const isSuccess = ({ status }: Shot): boolean => status >= 200 && status < 300;
export const isWrite = ({ kind }: Shot): boolean => kind.startsWith('write');

const CALM = 30;

/** Resolves when so many requests in a row that began after `since` went well; false when that takes too long. */
export const waitForSuccesses = ({ shots }: Traffic, since: number, within: number): Promise<boolean> =>
  holdsWithin(() => {
    const last = shots.filter(({ at }) => at >= since).slice(-CALM);
    return last.length === CALM && last.every(isSuccess);
  }, within);

/** The value that so many of a hundred do not exceed. */
export const percentile = (shots: readonly Shot[], percent: number): number => {
  const sorted = shots.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
};

/** `3 × 503 unavailable, 1 × 500 internal`: those that did not go well, by what they were told. */
export const failureSummary = (shots: readonly Shot[]): string => {
  const kinds = Map.groupBy(
    shots.filter((shot) => !isSuccess(shot)),
    ({ status, code, detail }) => `${status === 0 ? 'no answer' : status} ${code} ${detail}`.trim(),
  );
  const parts = [...kinds].sort(([, a], [, b]) => b.length - a.length).map(([name, all]) => `${all.length} × ${name}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
};

/** How long after `since` the last one began that did not go well, in milliseconds; 0 when all went well. */
export const lastFailure = (shots: readonly Shot[], since: number): number =>
  shots.reduce((last, shot) => (isSuccess(shot) ? last : Math.max(last, shot.at - since)), 0);

export const slowest = (shots: readonly Shot[]): number =>
  Math.round(shots.reduce((most, { ms }) => Math.max(most, ms), 0));
export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Reads and writes of one org that touch nothing in common but the org. */
export const kindsOf = async (api: Api, org: string): Promise<Kinds> => {
  const made = await api({ method: 'POST', path: '/clazz', org, body: { name: 'Busy', lead_teacher_id: 't1' } });
  const clazz = textAt(made.body, 'id');
  if (made.status !== 201) throw new Error(`a class cannot be made: ${made.status}`);
  const course = textAt((await api({ method: 'POST', path: '/ws/course', org, body: { title: 'Known' } })).body, 'id');
  const grant = (n: number) => ({ student_id: `s${n}`, hours: '1.00' });
  return {
    'read clazz': () => api({ path: `/clazz/${clazz}`, org }),
    'write clazz': (n) => api({ method: 'POST', path: '/clazz/hour/grant', org, body: grant(n) }),
    // The class service asks the course service about it.
    'write clazz course': (n) =>
      api({ method: 'POST', path: '/clazz/hour/grant', org, body: { ...grant(n), course_id: course } }),
    'read clazz hours': () => api({ path: '/clazz/hour/account/s1', org }),
    'read stats': () => api({ path: '/clazz/stats/my-lessons?student_id=s1', org }),
    'read course': () => api({ path: '/ws/course', org }),
    'write course': (n) => api({ method: 'POST', path: '/ws/course', org, body: { title: `Course ${n}` } }),
    'read package': () => api({ path: '/clazz/course-package/list/org?limit=5', org }),
  };
};

/** Some of them: `clazz` for those of one service, `read` for all reads. */
export const only = (kinds: Kinds, word: string): Kinds =>
  Object.fromEntries(Object.entries(kinds).filter(([name]) => name.split(' ').includes(word)));
