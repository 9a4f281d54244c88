import type { Answer } from './client.ts';

interface Page<T> {
  items: readonly T[];
  next_cursor: string | null;
}

/**
 * All rows of a list, page by page as they are needed: `for await (const clazz of rowsOf((cursor) =>
 * client.listClazzes({ query: { status: ['active'], cursor } })))`. A row that is there throughout comes once.
 */
export async function* rowsOf<T>(
  list: (cursor: string | undefined) => Promise<Answer<Page<T>>>,
): AsyncGenerator<T, void, undefined> {
  for (let cursor: string | undefined; ;) {
    const { data } = await list(cursor);
    yield* data.items;
    if (data.next_cursor === null) return;
    cursor = data.next_cursor;
  }
}
