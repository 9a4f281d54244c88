import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { EMPTY_QUEUE, isEmpty, type Queue, mergedQueue } from './queue.rules.ts';

/** What waits for one lesson, of one person: nobody else's session ever sends it. */
export interface StoredQueue extends Queue {
  /** Organization and person. */
  person: string;
  lesson_id: string;
}

interface Schema extends DBSchema {
  queue: { key: [string, string]; value: StoredQueue; indexes: { person: string } };
}

let opened: Promise<IDBPDatabase<Schema>> | undefined;
/** One that could not be opened, or was closed by the browser, is opened anew. */
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

/** What the browser did not keep, as long as the page: all of it in some private windows, or once, when it could not. */
const memory = new Map<string, StoredQueue>();
/** Whether all that waits is there when the page is opened again. */
export const isKept = (): boolean => memory.size === 0;
const keyOf = (person: string, lesson_id: string): string => `${person} ${lesson_id}`;

const readKept = async (person: string): Promise<StoredQueue[]> => {
  try {
    return await (await database()).getAllFromIndex('queue', 'person', person);
  } catch {
    return [];
  }
};

export const readAll = async (person: string): Promise<StoredQueue[]> => {
  const all = new Map((await readKept(person)).map((one) => [one.lesson_id, one]));
  for (const one of memory.values())
    if (one.person === person)
      all.set(one.lesson_id, { ...one, ...mergedQueue(all.get(one.lesson_id) ?? EMPTY_QUEUE, one) });
  return [...all.values()];
};

/**
 * Changes what waits for a lesson, in one transaction: other windows of the browser do so, too. Answers what waits then.
 * `shown` is what waits as far as the page knows: where the browser does not keep it this time, it goes on from there.
 */
export const changeStoredQueue = async (
  person: string,
  lesson_id: string,
  by: (queue: Queue) => Queue,
  shown: Queue,
): Promise<StoredQueue> => {
  const key = keyOf(person, lesson_id);
  const held = memory.get(key);
  try {
    const tx = (await database()).transaction('queue', 'readwrite');
    const before = (await tx.store.get([person, lesson_id])) ?? EMPTY_QUEUE;
    const after = { ...by(held === undefined ? before : mergedQueue(before, held)), person, lesson_id };
    if (isEmpty(after)) await tx.store.delete([person, lesson_id]);
    else await tx.store.put(after);
    await tx.done;
    if (memory.get(key) === held) memory.delete(key);
    return after;
  } catch {
    const after = { ...by(memory.get(key) ?? shown), person, lesson_id };
    if (isEmpty(after)) memory.delete(key);
    else memory.set(key, after);
    return after;
  }
};
