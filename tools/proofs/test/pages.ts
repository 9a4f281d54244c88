interface Page<Row> {
  items: Row[];
  next_cursor: string | null;
}

/** More pages than any test creates. */
const MAX_PAGES = 1_000;

/** The pages of a list one after another, following `next_cursor`. */
export async function* pagesOf<Row>(read: (cursor: string | undefined) => Promise<Page<Row>>): AsyncGenerator<Row[]> {
  let page = await read(undefined);
  for (let count = 1; count < MAX_PAGES; count += 1) {
    yield page.items;
    if (page.next_cursor === null) return;
    page = await read(page.next_cursor);
  }
  throw new Error(`the list has more than ${MAX_PAGES} pages`);
}
