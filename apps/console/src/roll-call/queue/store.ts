import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { EMPTY, isEmpty, type Queue } from './queue.rules.ts';

/** What waits for one lesson, of one person: nobody else's session ever sends it. */
export interface Stored extends Queue {
  /** Organization and person. */
  person: string;
  lesson_id: string;
}

interface Schema extends DBSchema {
  queue: { key: [string, string]; value: Stored; indexes: { person: string } };
}

let opened: Promise<IDBPDatabase<Schema>> | undefined;
const database = (): Promise<IDBPDatabase<Schema>> =>
  (opened ??= openDB<Schema>('roll-call', 1, {
    upgrade: (db) => {
      db.createObjectStore('queue', { keyPath: ['person', 'lesson_id'] }).createIndex('person', 'person');
    },
  }));

/** Where the browser keeps nothing (some private windows), as long as the page. */
const memory = new Map<string, Stored>();
/** Whether all that waits is there when the page is opened again. */
export const isKept = (): boolean => memory.size === 0;
const keyOf = (person: string, lesson_id: string): string => `${person} ${lesson_id}`;

export const readAll = async (person: string): Promise<Stored[]> => {
  try {
    return await (await database()).getAllFromIndex('queue', 'person', person);
  } catch {
    return [...memory.values()].filter((one) => one.person === person);
  }
};

/** Changes what waits for a lesson, in one transaction: other windows of the browser do so, too. Answers what waits then. */
export const change = async (person: string, lesson_id: string, by: (queue: Queue) => Queue): Promise<Stored> => {
  try {
    const tx = (await database()).transaction('queue', 'readwrite');
    const before = await tx.store.get([person, lesson_id]);
    const after = { ...by(before ?? EMPTY), person, lesson_id };
    if (isEmpty(after)) await tx.store.delete([person, lesson_id]);
    else await tx.store.put(after);
    await tx.done;
    return after;
  } catch {
    const key = keyOf(person, lesson_id);
    const after = { ...by(memory.get(key) ?? EMPTY), person, lesson_id };
    if (isEmpty(after)) memory.delete(key);
    else memory.set(key, after);
    return after;
  }
};
