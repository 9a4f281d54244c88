import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes through a temporary file, so that a killed run never leaves half a file behind. */
export const writeWhole = (path: string, content: string, mode = 0o600): void => {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content, { mode });
  renameSync(temporary, path);
};

/**
 * The text of a file, or the result of `make`, stored for the next time (readable for the owner only). If two processes create it at
 * once, both get the result of the first.
 */
export const readOrMake = (path: string, make: () => string): string => {
  if (!existsSync(path)) {
    const own = `${path}.${process.pid}`;
    writeWhole(own, make());
    try {
      linkSync(own, path);
    } catch (error) {
      if (!existsSync(path)) throw error;
    } finally {
      rmSync(own);
    }
  }
  return readFileSync(path, 'utf8');
};

/** The last lines of a log, for an error message. */
export const tail = (path: string, lines: number): string =>
  existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').slice(-lines).join('\n') : '';
