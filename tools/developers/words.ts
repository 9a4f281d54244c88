/**
 * Checks the words of the repository: no free "who" in comments, texts and documents; no file that is named by a bare
 * preposition, pronoun or participle; no exported function that begins with tell, hear, say or ask. CONTRIBUTING.md has the
 * rules. Prints each fault with its file and line. Exit code 1 if there is any.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { freeSubjects, hasBareName, speakingExports } from './lint/words.ts';

const SOURCE = /\.(?:ts|tsx|mjs)$/;
const TEXT = /\.(?:ts|tsx|mjs|md|css|ya?ml|sh|conf)$/;
/** Quotes faults as examples. */
const EXAMPLES = /^tools\/developers\/lint\/words\.|^tools\/developers\/words\.ts$/;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => TEXT.test(file) && !EXAMPLES.test(file) && existsSync(file));

const faults = files.flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  const found = SOURCE.test(file) ? [...freeSubjects(text), ...speakingExports(text)] : freeSubjects(text);
  const lines = found.map(({ line, message }) => `${file}:${line}: ${message}`);
  return SOURCE.test(file) && hasBareName(file)
    ? [`${file}: the name does not say what the file holds`, ...lines]
    : lines;
});

for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
