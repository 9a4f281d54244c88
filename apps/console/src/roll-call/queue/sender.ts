import { effect, signal } from '@preact/signals';
import type { Output, rollCallCalls } from '@teaching/contracts';
import { apiWithoutRetry } from '../../shared/api.ts';
import { changed } from '../../shared/query.ts';
import { isVerified, session } from '../../shared/session.ts';
import { unsavedMarks } from '../../shared/unsaved-marks.ts';
import {
  countsOf,
  EMPTY_QUEUE,
  type Queue,
  queueMarks,
  type QueuedMark,
  nextToSend,
  wasRefused,
  wasSaved,
} from './queue.rules.ts';
import { changeStoredQueue, isKept, readAll, type StoredQueue } from './queue-store.ts';
import { failureKindOf } from './failure-kind.rules.ts';

type Answer = Output<typeof rollCallCalls.submitRollCall>;

const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** What waits, by lesson, of the person who is logged in. */
export const queues = signal<ReadonlyMap<string, Queue>>(new Map());
export const queueOf = (lesson_id: string): Queue => queues.value.get(lesson_id) ?? EMPTY_QUEUE;

/** Who is told what a roll call is after something was saved, before it does not wait any more. */
export const savedTo = new Set<(answer: Answer) => void>();

let person: string | undefined;
const put = (lesson_id: string, queue: Queue): void => {
  queues.value = new Map(queues.value).set(lesson_id, queue);
};

const others = 'BroadcastChannel' in globalThis ? new BroadcastChannel('roll-call') : undefined;
others?.addEventListener('message', () => void load());

/** Changes that are not stored yet: what they leave behind counts only when all are. */
let underWay = 0;
const edit = async (lesson_id: string, by: (queue: Queue) => Queue): Promise<StoredQueue | undefined> => {
  const whose = person;
  if (whose === undefined) return undefined;
  const shown = queueOf(lesson_id);
  put(lesson_id, by(shown));
  underWay += 1;
  const stored = await changeStoredQueue(whose, lesson_id, by, shown);
  underWay -= 1;
  if (underWay === 0 && whose === person) put(lesson_id, stored);
  others?.postMessage(lesson_id);
  return stored;
};

const load = async (): Promise<void> => {
  const whose = person;
  if (whose === undefined) return;
  const all = await readAll(whose);
  if (whose === person && underWay === 0) queues.value = new Map(all.map((one) => [one.lesson_id, one]));
};

/** What a person says is shown at once, kept, and sent as soon as it goes. */
export const recordMarks = async (lesson_id: string, said: readonly QueuedMark[]): Promise<void> => {
  await edit(lesson_id, (queue) => queueMarks(queue, said));
  void flush();
};

/** Changes what waits, such as what was refused. */
export const changeQueue = async (lesson_id: string, by: (queue: Queue) => Queue): Promise<void> => {
  await edit(lesson_id, by);
  void flush();
};

/** Sends what waits for a lesson until nothing does; answers how long to wait where it did not go. */
const send = async (lesson_id: string): Promise<number | undefined> => {
  for (;;) {
    const sent = (await edit(lesson_id, (queue) => nextToSend(queue, () => crypto.randomUUID())))?.sent ?? null;
    if (sent === null || !isVerified.value) return undefined;
    const { key, marks } = sent;
    const reason = marks[0]?.reason ?? null;
    const body = {
      marks: marks.map(({ reason: _said, ...mark }) => mark),
      ...(reason === null ? {} : { reason }),
    };
    try {
      const { data } = await apiWithoutRetry.submitRollCall({ path: { lesson_id }, body }, { idempotency_key: key });
      for (const told of savedTo) told(data);
      await edit(lesson_id, (queue) => wasSaved(queue, key, data.marks));
      changed('lesson');
    } catch (error) {
      const verdict = failureKindOf(error, sent);
      if (verdict.again) return verdict.after_ms;
      await edit(lesson_id, (queue) => wasRefused(queue, key, verdict.code, verdict.because));
      changed('roll_call');
    }
  }
};

let timer: ReturnType<typeof setTimeout> | undefined;
let tries = 0;
let isFlushing = false;
let isAskedAgain = false;

const flushOnce = async (): Promise<void> => {
  const pauses: number[] = [];
  for (const [lesson_id, { waiting, sent }] of queues.value)
    if (waiting.length > 0 || sent !== null) {
      const pause = await send(lesson_id);
      if (pause !== undefined) pauses.push(pause);
    }
  clearTimeout(timer);
  tries = pauses.length === 0 ? 0 : tries + 1;
  if (pauses.length > 0)
    timer = setTimeout(
      () => void flush(),
      Math.max(...pauses, Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** (tries - 1))),
    );
};

/** Sends all that waits; one window of the browser at a time, and only while it is known who is logged in. */
export const flush = async (): Promise<void> => {
  isAskedAgain = isFlushing;
  if (isFlushing) return;
  isFlushing = true;
  try {
    do {
      isAskedAgain = false;
      if (person !== undefined && isVerified.value) await navigator.locks.request('roll-call', flushOnce);
    } while (isAskedAgain);
  } finally {
    isFlushing = false;
  }
};

/** Follows who is logged in, and the network. */
export const start = (): void => {
  effect(() => {
    const counts = [...queues.value.values()].map(countsOf);
    const count = counts.reduce((sum, { waiting, refused }) => sum + waiting + refused, 0);
    unsavedMarks.value = { count, isKept: isKept() };
  });
  session.subscribe((value) => {
    const whose = 'me' in value ? `${value.me.org_id} ${value.me.user_id}` : undefined;
    if (whose !== person) {
      person = whose;
      queues.value = new Map();
    }
    if (value.state === 'in') void load().then(flush);
  });
  isVerified.subscribe((is) => {
    if (is) void flush();
  });
  addEventListener('online', () => {
    tries = 0;
    void flush();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void flush();
  });
};
