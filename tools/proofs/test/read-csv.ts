/** Reads CSV strictly by RFC 4180, with CRLF, LF or CR at the end of a row. Throws on a quote in the wrong position. */
export const readCsv = (text: string): string[][] => {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; text[at] !== '"' || text[at + 1] === '"'; at += 1) {
        if (at >= text.length) throw new Error('a quoted cell has no closing quote');
        if (text[at] === '"') at += 1;
        cell += text[at];
      }
      at += 1;
    } else {
      for (; at < text.length && !/[,\r\n]/.test(text[at]!); at += 1) {
        if (text[at] === '"') throw new Error('a cell without quotes contains a quote');
        cell += text[at];
      }
    }
    row.push(cell);
    const end = /^(,|\r\n|\r|\n)/.exec(text.slice(at, at + 2))?.[0];
    if (end === undefined) throw new Error(`no row or cell ends at position ${at}`);
    at += end.length;
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) throw new Error('the last row has no line end');
  return rows;
};
