import { effect, signal } from '@preact/signals';
import type { Output, rollCallCalls } from '@teaching/contracts';
import { apiWithoutRetry } from '../../shared/api.ts';
import { onRecovery } from '../../shared/connection.ts';
import { invalidateKinds } from '../../shared/query.ts';
import { isVerified, session } from '../../shared/session.ts';
import { unsavedMarks } from '../../shared/unsaved-marks.ts';
import { countsOf, EMPTY_QUEUE, type Queue, nextToSend, acknowledgeRefused, acknowledgeSaved } from './queue.rules.ts';
import { changeStoredQueue, isStored, readQueues, type StoredQueue } from './queue-store.ts';
import { failureKindOf, pauseAfter } from './failure-kind.rules.ts';

type Answer = Output<typeof rollCallCalls.submitRollCall>;

/** The unsaved marks of the logged-in person, by lesson. */
export const queues = signal<ReadonlyMap<string, Queue>>(new Map());
export const queueOf = (lesson_id: string): Queue => queues.value.get(lesson_id) ?? EMPTY_QUEUE;

/** Receives each saved roll call before its marks leave the queue. */
export const savedListeners = new Set<(answer: Answer) => void>();

let person: string | undefined;
const put = (lesson_id: string, queue: Queue): void => {
  queues.value = new Map(queues.value).set(lesson_id, queue);
};

const otherWindows = 'BroadcastChannel' in globalThis ? new BroadcastChannel('roll-call') : undefined;
otherWindows?.addEventListener('message', () => void load());

/** The number of changes that are not stored yet. A stored queue is shown only after the last of them. */
let pendingChanges = 0;
const edit = async (lesson_id: string, by: (queue: Queue) => Queue): Promise<StoredQueue | undefined> => {
  const owner = person;
  if (owner === undefined) return undefined;
  const shown = queueOf(lesson_id);
  put(lesson_id, by(shown));
  pendingChanges += 1;
  const stored = await changeStoredQueue(owner, lesson_id, by, shown);
  pendingChanges -= 1;
  if (pendingChanges === 0 && owner === person) put(lesson_id, stored);
  otherWindows?.postMessage(lesson_id);
  return stored;
};

const load = async (): Promise<void> => {
  const owner = person;
  if (owner === undefined) return;
  const all = await readQueues(owner);
  if (owner === person && pendingChanges === 0) queues.value = new Map(all.map((queue) => [queue.lesson_id, queue]));
};

/** Changes the queue of a lesson: new marks are shown at once, stored, and sent as soon as possible. */
export const changeQueue = async (lesson_id: string, by: (queue: Queue) => Queue): Promise<void> => {
  await edit(lesson_id, by);
  void flush();
};

/** Sends the queue of a lesson until it is empty. After a temporary failure it returns the pause in milliseconds. */
const send = async (lesson_id: string): Promise<number | undefined> => {
  for (;;) {
    const sent = (await edit(lesson_id, (queue) => nextToSend(queue, () => crypto.randomUUID())))?.sent ?? null;
    if (sent === null || !isVerified.value) return undefined;
    const { key, marks } = sent;
    const reason = marks[0]?.reason ?? null;
    const body = {
      marks: marks.map(({ reason: _reason, ...mark }) => mark),
      ...(reason === null ? {} : { reason }),
    };
    try {
      const { data } = await apiWithoutRetry.submitRollCall({ path: { lesson_id }, body }, { idempotency_key: key });
      for (const receive of savedListeners) receive(data);
      await edit(lesson_id, (queue) => acknowledgeSaved(queue, key, data.marks));
      invalidateKinds('lesson');
    } catch (error) {
      const failure = failureKindOf(error, sent);
      if (failure.again) return failure.after_ms;
      await edit(lesson_id, (queue) => acknowledgeRefused(queue, key, failure.code, failure.students));
      invalidateKinds('roll_call');
    }
  }
};

let timer: ReturnType<typeof setTimeout> | undefined;
let tries = 0;
let isFlushing = false;
let isFlushRequested = false;

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
    timer = setTimeout(() => void flush(), Math.max(...pauses.map((required_ms) => pauseAfter(tries, required_ms))));
};

/** Sends all queues: in one window of the browser at a time, and only while the logged-in person is confirmed. */
export const flush = async (): Promise<void> => {
  isFlushRequested = isFlushing;
  if (isFlushing) return;
  isFlushing = true;
  try {
    do {
      isFlushRequested = false;
      if (person !== undefined && isVerified.value) await navigator.locks.request('roll-call', flushOnce);
    } while (isFlushRequested);
  } finally {
    isFlushing = false;
  }
};

/** Starts sending: follows the logged-in person, the network, the server and the visibility of the page. */
export const startSending = (): void => {
  effect(() => {
    const counts = [...queues.value.values()].map(countsOf);
    const count = counts.reduce((sum, { waiting, refused }) => sum + waiting + refused, 0);
    unsavedMarks.value = { count, isStored: isStored() };
  });
  session.subscribe((value) => {
    const owner = 'me' in value ? `${value.me.org_id} ${value.me.user_id}` : undefined;
    if (owner !== person) {
      person = owner;
      queues.value = new Map();
    }
    if (value.state === 'in') void load().then(flush);
  });
  isVerified.subscribe((verified) => {
    if (verified) void flush();
  });
  const flushNow = (): void => {
    tries = 0;
    void flush();
  };
  addEventListener('online', flushNow);
  onRecovery(flushNow);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void flush();
  });
};
