import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** Bytes of script, gzip, that the first load may have. */
const FIRST_LOAD = 70_000;

const sizeOf = (chunk: Rolldown.OutputChunk): number => gzipSync(chunk.code).length;
const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;

/** A chunk and all that it imports at once. */
const withImports = (bundle: Rolldown.OutputBundle, chunk: Rolldown.OutputChunk): Set<Rolldown.OutputChunk> => {
  const found = new Set<Rolldown.OutputChunk>();
  const visit = (one: Rolldown.OutputChunk): void => {
    if (found.has(one)) return;
    found.add(one);
    for (const name of one.imports) {
      const next = bundle[name];
      if (next?.type === 'chunk') visit(next);
    }
  };
  visit(chunk);
  return found;
};

const total = (chunks: Iterable<Rolldown.OutputChunk>): number =>
  [...chunks].reduce((sum, chunk) => sum + sizeOf(chunk), 0);

/** Prints what the first load and each screen weigh; a first load beyond the budget ends the build. */
export const sizeBudget = (): Plugin => ({
  name: 'budget',
  apply: 'build',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
    const entry = chunks.find((chunk) => chunk.isEntry);
    if (entry === undefined) return;
    const first = withImports(bundle, entry);
    const bytes = total(first);
    console.log(`first load ${kilobytes(bytes)} of ${kilobytes(FIRST_LOAD)} script, gzip`);
    for (const chunk of chunks.filter((one) => one.isDynamicEntry)) {
      const own = [...withImports(bundle, chunk)].filter((one) => !first.has(one));
      console.log(`  ${chunk.name} ${kilobytes(total(own))} more`);
    }
    if (bytes > FIRST_LOAD)
      this.error(`the first load has ${kilobytes(bytes)} of script, at most ${kilobytes(FIRST_LOAD)}`);
  },
});
