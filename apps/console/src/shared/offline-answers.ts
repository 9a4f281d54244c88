import { type DBSchema, type IDBPDatabase, openDB } from 'idb';

/** The last answer to a request, shown when there is no network. */
export interface StoredAnswer<T> {
  data: T;
  /** When it was received, in epoch milliseconds. */
  at: number;
}

interface Schema extends DBSchema {
  answer: {
    key: [string, string];
    value: StoredAnswer<unknown> & { person: string; what: string };
    indexes: { at: number };
  };
}

/** The most answers that are stored; more than a teacher opens in weeks. The oldest are removed first. */
const MAX_ANSWERS = 100;

let opened: Promise<IDBPDatabase<Schema>> | undefined;
const database = (): Promise<IDBPDatabase<Schema>> =>
  (opened ??= openDB<Schema>('answers', 1, {
    upgrade: (db) => {
      db.createObjectStore('answer', { keyPath: ['person', 'what'] }).createIndex('at', 'at');
    },
  }));

/** Stores an answer for one person. It does nothing if the browser forbids storage. */
export const storeAnswer = async (person: string, what: string, data: unknown): Promise<void> => {
  try {
    const tx = (await database()).transaction('answer', 'readwrite');
    await tx.store.put({ person, what, data, at: Date.now() });
    const excess = (await tx.store.count()) - MAX_ANSWERS;
    for (let cursor = await tx.store.index('at').openCursor(), n = 0; cursor !== null && n < excess; n += 1) {
      await cursor.delete();
      cursor = await cursor.continue();
    }
    await tx.done;
  } catch {
    // Private windows may forbid storage.
  }
};

export const storedAnswer = async <T>(person: string, what: string): Promise<StoredAnswer<T> | undefined> => {
  try {
    const found = await (await database()).get('answer', [person, what]);
    return found && { data: found.data as T, at: found.at }; // `what` identifies one type of answer
  } catch {
    return undefined;
  }
};

/** Removes the stored answers of all persons, so that the next person sees none of them. */
export const removeStoredAnswers = async (): Promise<void> => {
  try {
    await (await database()).clear('answer');
  } catch {
    // The browser forbids storage, so nothing was stored.
  }
};
