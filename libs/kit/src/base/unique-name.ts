/** Full-width forms, half-width forms and the ideographic space (Unicode UAX 11): only these are folded to one width. */
const OTHER_WIDTH = /[\u3000\uff01-\uffee]+/g;

/** The same text for names that differ only in Unicode form, width or case. Accents count. */
export const uniqueKey = (name: string): string =>
  name
    .replaceAll(OTHER_WIDTH, (run) => run.normalize('NFKC'))
    .toLowerCase()
    .normalize();

/** Whether two names count as the same where names are unique: form, width and case do not matter, accents do. */
export const isSameName = (a: string, b: string): boolean => uniqueKey(a) === uniqueKey(b);
