import { type DBSchema, type IDBPDatabase, openDB } from 'idb';

/** An answer as it came last, for when there is no network. */
export interface StoredAnswer<T> {
  data: T;
  /** When it came, in epoch milliseconds. */
  at: number;
}

interface Schema extends DBSchema {
  answer: {
    key: [string, string];
    value: StoredAnswer<unknown> & { person: string; what: string };
    indexes: { at: number };
  };
}

/** More than a teacher opens in weeks; the oldest go first. */
const MOST = 100;

let opened: Promise<IDBPDatabase<Schema>> | undefined;
const database = (): Promise<IDBPDatabase<Schema>> =>
  (opened ??= openDB<Schema>('answers', 1, {
    upgrade: (db) => {
      db.createObjectStore('answer', { keyPath: ['person', 'what'] }).createIndex('at', 'at');
    },
  }));

/** Keeps what somebody was answered. Where the browser keeps nothing, nothing is kept. */
export const storeAnswer = async (person: string, what: string, data: unknown): Promise<void> => {
  try {
    const tx = (await database()).transaction('answer', 'readwrite');
    await tx.store.put({ person, what, data, at: Date.now() });
    const beyond = (await tx.store.count()) - MOST;
    for (let cursor = await tx.store.index('at').openCursor(), n = 0; cursor !== null && n < beyond; n += 1) {
      await cursor.delete();
      cursor = await cursor.continue();
    }
    await tx.done;
  } catch {
    // Private windows may forbid it.
  }
};

export const storedAnswer = async <T>(person: string, what: string): Promise<StoredAnswer<T> | undefined> => {
  try {
    const found = await (await database()).get('answer', [person, what]);
    return found && { data: found.data as T, at: found.at }; // `what` stands for one kind of answer
  } catch {
    return undefined;
  }
};

/** Nothing of one person stays for the next. */
export const removeStoredAnswers = async (): Promise<void> => {
  try {
    await (await database()).clear('answer');
  } catch {
    // There was nothing.
  }
};
