interface Page<Row> {
  items: Row[];
  next_cursor: string | null;
}

/** More pages than any test has. */
const ENDLESS = 1_000;

/** The pages of a list one after the other, as a caller follows `next_cursor`. */
export async function* pagesOf<Row>(read: (cursor: string | undefined) => Promise<Page<Row>>): AsyncGenerator<Row[]> {
  let page = await read(undefined);
  for (let count = 1; count < ENDLESS; count += 1) {
    yield page.items;
    if (page.next_cursor === null) return;
    page = await read(page.next_cursor);
  }
  throw new Error(`there were still pages after ${ENDLESS}`);
}
