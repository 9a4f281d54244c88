import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** The largest allowed size of the first load's script, in bytes after gzip. */
const FIRST_LOAD_LIMIT = 70_000;

const sizeOf = (chunk: Rolldown.OutputChunk): number => gzipSync(chunk.code).length;
const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;

/** A chunk and all chunks that it imports statically. */
const withImports = (bundle: Rolldown.OutputBundle, chunk: Rolldown.OutputChunk): Set<Rolldown.OutputChunk> => {
  const found = new Set<Rolldown.OutputChunk>();
  const visit = (current: Rolldown.OutputChunk): void => {
    if (found.has(current)) return;
    found.add(current);
    for (const name of current.imports) {
      const next = bundle[name];
      if (next?.type === 'chunk') visit(next);
    }
  };
  visit(chunk);
  return found;
};

const total = (chunks: Iterable<Rolldown.OutputChunk>): number =>
  [...chunks].reduce((sum, chunk) => sum + sizeOf(chunk), 0);

/** Prints the size of the first load and of each screen. A first load above the budget fails the build. */
export const sizeBudget = (): Plugin => ({
  name: 'budget',
  apply: 'build',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
    const entry = chunks.find((chunk) => chunk.isEntry);
    if (entry === undefined) return;
    const first = withImports(bundle, entry);
    const bytes = total(first);
    console.log(`first load ${kilobytes(bytes)} of ${kilobytes(FIRST_LOAD_LIMIT)} script, gzip`);
    for (const chunk of chunks.filter((candidate) => candidate.isDynamicEntry)) {
      const own = [...withImports(bundle, chunk)].filter((imported) => !first.has(imported));
      console.log(`  ${chunk.name} ${kilobytes(total(own))} more`);
    }
    if (bytes > FIRST_LOAD_LIMIT)
      this.error(
        `the first load has ${kilobytes(bytes)} of script after gzip; the limit is ${kilobytes(FIRST_LOAD_LIMIT)}`,
      );
  },
});
