import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { EMPTY_QUEUE, isEmpty, type Queue, mergedQueue } from './queue.rules.ts';

/** The unsaved marks of one person for one lesson. They are never sent in the session of another person. */
export interface StoredQueue extends Queue {
  /** Organization and person. */
  person: string;
  lesson_id: string;
}

interface Schema extends DBSchema {
  queue: { key: [string, string]; value: StoredQueue; indexes: { person: string } };
}

let opened: Promise<IDBPDatabase<Schema>> | undefined;
/** A database that could not be opened, or was closed by the browser, is opened again at the next access. */
const reopen = (): void => {
  opened = undefined;
};
const database = (): Promise<IDBPDatabase<Schema>> => {
  opened ??= openDB<Schema>('roll-call', 1, {
    upgrade: (db) => {
      db.createObjectStore('queue', { keyPath: ['person', 'lesson_id'] }).createIndex('person', 'person');
    },
    terminated: reopen,
  });
  opened.catch(reopen);
  return opened;
};

/** Queues that the browser could not store; they last as long as the page. Private windows may forbid storage. */
const memory = new Map<string, StoredQueue>();
/** Whether all unsaved marks are stored, so that they survive closing the page. */
export const isStored = (): boolean => memory.size === 0;
const keyOf = (person: string, lesson_id: string): string => `${person} ${lesson_id}`;

const readStored = async (person: string): Promise<StoredQueue[]> => {
  try {
    return await (await database()).getAllFromIndex('queue', 'person', person);
  } catch {
    return [];
  }
};

export const readQueues = async (person: string): Promise<StoredQueue[]> => {
  const all = new Map((await readStored(person)).map((queue) => [queue.lesson_id, queue]));
  for (const queue of memory.values())
    if (queue.person === person)
      all.set(queue.lesson_id, { ...queue, ...mergedQueue(all.get(queue.lesson_id) ?? EMPTY_QUEUE, queue) });
  return [...all.values()];
};

/**
 * Changes the queue of a lesson in one transaction, because other windows change it, too. Returns the new queue.
 * `shown` is the queue as the page knows it; the change applies to it if the browser cannot store.
 */
export const changeStoredQueue = async (
  person: string,
  lesson_id: string,
  by: (queue: Queue) => Queue,
  shown: Queue,
): Promise<StoredQueue> => {
  const key = keyOf(person, lesson_id);
  const unstored = memory.get(key);
  try {
    const tx = (await database()).transaction('queue', 'readwrite');
    const before = (await tx.store.get([person, lesson_id])) ?? EMPTY_QUEUE;
    const after = { ...by(unstored === undefined ? before : mergedQueue(before, unstored)), person, lesson_id };
    if (isEmpty(after)) await tx.store.delete([person, lesson_id]);
    else await tx.store.put(after);
    await tx.done;
    if (memory.get(key) === unstored) memory.delete(key);
    return after;
  } catch {
    const after = { ...by(memory.get(key) ?? shown), person, lesson_id };
    if (isEmpty(after)) memory.delete(key);
    else memory.set(key, after);
    return after;
  }
};
