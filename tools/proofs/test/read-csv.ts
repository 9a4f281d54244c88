/** Reads CSV strictly as RFC 4180 says, with CRLF, LF or CR as the end of a row. Throws on a quote in the wrong place. */
export const readCsv = (text: string): string[][] => {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; text[at] !== '"' || text[at + 1] === '"'; at += 1) {
        if (at >= text.length) throw new Error('a quote is not closed');
        if (text[at] === '"') at += 1;
        cell += text[at];
      }
      at += 1;
    } else {
      for (; at < text.length && !/[,\r\n]/.test(text[at]!); at += 1) {
        if (text[at] === '"') throw new Error('a quote in a cell without quotes');
        cell += text[at];
      }
    }
    row.push(cell);
    const end = /^(,|\r\n|\r|\n)/.exec(text.slice(at, at + 2))?.[0];
    if (end === undefined) throw new Error(`a row or cell should end at ${at}`);
    at += end.length;
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) throw new Error('the last row has no end');
  return rows;
};
