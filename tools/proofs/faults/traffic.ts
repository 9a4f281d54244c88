import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Answer, type Api, textAt } from '../system/plain-api.ts';
import type { Readers } from './readers.worker.ts';
import { holdsWithin, pause } from '../system/poll.ts';

/** One request and its result. */
export interface RequestResult {
  kind: string;
  /** Start of the request in epoch milliseconds. */
  at: number;
  ms: number;
  /** HTTP status; 0 when there was no answer. */
  status: number;
  /** Code of the problem document, and its detail below; empty after a success. */
  code: string;
  detail: string;
  retryAfter: string | undefined;
}

/** Kinds of requests by name. `n` counts up over all requests. */
export type RequestKinds = Readonly<Record<string, (n: number) => Promise<Answer>>>;

export interface Traffic {
  /** Results of all requests answered so far. */
  shots: readonly RequestResult[];
  /** Starts no more requests and resolves when the last one is answered. */
  stop: () => Promise<readonly RequestResult[]>;
}

const TICK_MS = 5;
const MAX_CONCURRENT = 2_000;

const shoot = async (kind: string, ask: RequestKinds[string], n: number): Promise<RequestResult> => {
  const at = Date.now();
  const begun = performance.now();
  const { status, body, retryAfter } = await ask(n);
  const problemText = (name: string): string => (status >= 200 && status < 300 ? '' : textAt(body, name));
  return {
    kind,
    at,
    ms: performance.now() - begun,
    status,
    code: problemText('code'),
    detail: problemText('detail'),
    retryAfter,
  };
};

/** Sends `rate` requests a second, the kinds in turn, whether or not earlier requests are answered. */
export const startTraffic = (kinds: RequestKinds, rate: number): Traffic => {
  const names = Object.keys(kinds);
  const shots: RequestResult[] = [];
  const open = new Set<Promise<void>>();
  const since = performance.now();
  let begun = 0;
  const one = (): void => {
    const kind = names[begun % names.length] ?? '';
    const ask = kinds[kind];
    if (ask === undefined) throw new Error('startTraffic needs at least one kind of request');
    const shot = shoot(kind, ask, (begun += 1)).then((result) => void shots.push(result));
    open.add(shot);
    void shot.finally(() => open.delete(shot));
  };
  const timer = setInterval(() => {
    while (begun < ((performance.now() - since) / 1_000) * rate && open.size < MAX_CONCURRENT) one();
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

export const runTraffic = async (kinds: RequestKinds, rate: number, ms: number): Promise<readonly RequestResult[]> => {
  const traffic = startTraffic(kinds, rate);
  await pause(ms);
  return traffic.stop();
};

/** Starts callers that send the next request as soon as the last one is answered, until they are stopped. */
export const startCallers = (kinds: RequestKinds, callers: number): Traffic => {
  const names = Object.keys(kinds);
  const shots: RequestResult[] = [];
  const stopping = new AbortController();
  let count = 0;
  const caller = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const kind = names[count % names.length] ?? '';
      const ask = kinds[kind];
      if (ask === undefined) throw new Error('startCallers needs at least one kind of request');
      shots.push(await shoot(kind, ask, (count += 1)));
      // A caller without an answer waits, so it does not retry in a tight loop.
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

/** Starts callers of one path in a separate thread, so large answers do not disturb measurements of this thread. */
export const startReaders = (readers: Readers): { stop: () => Promise<readonly RequestResult[]> } => {
  const thread = new Worker(new URL('readers.worker.ts', import.meta.url), { workerData: readers });
  return {
    stop: async () => {
      thread.postMessage('stop');
      const [shots] = (await once(thread, 'message')) as [RequestResult[]];
      await thread.terminate();
      return shots;
    },
  };
};

export const isSuccess = ({ status }: RequestResult): boolean => status >= 200 && status < 300;
export const isWrite = ({ kind }: RequestResult): boolean => kind.startsWith('write');

const SUCCESSES_IN_A_ROW = 30;

/** Resolves with true after 30 successes in a row that began after `since`; with false after `within` ms. */
export const waitForSuccesses = ({ shots }: Traffic, since: number, within: number): Promise<boolean> =>
  holdsWithin(() => {
    const last = shots.filter(({ at }) => at >= since).slice(-SUCCESSES_IN_A_ROW);
    return last.length === SUCCESSES_IN_A_ROW && last.every(isSuccess);
  }, within);

/** The value that `percent` of a hundred results do not exceed, in milliseconds. */
export const percentile = (shots: readonly RequestResult[], percent: number): number => {
  const sorted = shots.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
};

/** Failed requests by answer, for example `3 × 503 unavailable, 1 × 500 internal`. */
export const failureSummary = (shots: readonly RequestResult[]): string => {
  const kinds = Map.groupBy(
    shots.filter((shot) => !isSuccess(shot)),
    ({ status, code, detail }) => `${status === 0 ? 'no answer' : status} ${code} ${detail}`.trim(),
  );
  const parts = [...kinds].sort(([, a], [, b]) => b.length - a.length).map(([name, all]) => `${all.length} × ${name}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
};

/** Milliseconds from `since` to the start of the last failed request; 0 when none failed. */
export const lastFailure = (shots: readonly RequestResult[], since: number): number =>
  shots.reduce((last, shot) => (isSuccess(shot) ? last : Math.max(last, shot.at - since)), 0);

export const slowest = (shots: readonly RequestResult[]): number =>
  Math.round(shots.reduce((most, { ms }) => Math.max(most, ms), 0));
export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Reads and writes of one organization that share no row but the organization's own. */
export const createRequestKinds = async (api: Api, org: string): Promise<RequestKinds> => {
  const made = await api({ method: 'POST', path: '/clazz', org, body: { name: 'Busy', lead_teacher_id: 't1' } });
  const clazz = textAt(made.body, 'id');
  if (made.status !== 201) throw new Error(`creating a class failed: ${made.status}`);
  const course = textAt((await api({ method: 'POST', path: '/ws/course', org, body: { title: 'Known' } })).body, 'id');
  const grant = (n: number) => ({ student_id: `s${n}`, hours: '1.00' });
  return {
    'read clazz': () => api({ path: `/clazz/${clazz}`, org }),
    'write clazz': (n) => api({ method: 'POST', path: '/clazz/hour/grant', org, body: grant(n) }),
    // The class service queries the course service about the course.
    'write clazz course': (n) =>
      api({ method: 'POST', path: '/clazz/hour/grant', org, body: { ...grant(n), course_id: course } }),
    'read clazz hours': () => api({ path: '/clazz/hour/account/s1', org }),
    'read stats': () => api({ path: '/clazz/stats/my-lessons?student_id=s1', org }),
    'read course': () => api({ path: '/ws/course', org }),
    'write course': (n) => api({ method: 'POST', path: '/ws/course', org, body: { title: `Course ${n}` } }),
    'read package': () => api({ path: '/clazz/course-package/list/org?limit=5', org }),
  };
};

/** The kinds whose name contains `word`: `clazz` for one service, `read` for all reads. */
export const kindsMatching = (kinds: RequestKinds, word: string): RequestKinds =>
  Object.fromEntries(Object.entries(kinds).filter(([name]) => name.split(' ').includes(word)));
