import { fileURLToPath } from 'node:url';

export const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));

/** The folder of the set-up's own files, which git ignores. */
export const OWN_FOLDER = fileURLToPath(new URL('../../../.local/', import.meta.url));

/** A line of progress. On stderr: stdout belongs to the command that set-up runs for. */
export const printLine = (line) => console.error(line);
