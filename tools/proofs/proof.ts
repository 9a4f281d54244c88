import { parseArgs } from 'node:util';
import type { Proof } from './proof/proof.ts';
import { PROOFS } from './proof/proofs.ts';

const WIDTH = Math.max(...PROOFS.map(({ name }) => name.length)) + 2;
const lineOf = ({ name, about, minutes, count }: Proof): string =>
  `  ${name.padEnd(WIDTH)}${about} (${minutes} min, --count ${count})`;
const USAGE = `Usage: npm run proof -- <name> [--count <n>]

Tests a claim longer than npm test and CI do, with a system of its own. Proofs:
${PROOFS.map(lineOf).join('\n')}

  --count  number of repetitions; each proof has its own default
Exit code: 0 every repetition succeeded, 1 one failed, 2 wrong arguments, 130 interrupted.`;

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { count: { type: 'string' }, help: { type: 'boolean' } },
  });
  const [name, ...more] = positionals;
  if (name === undefined || values.help) {
    console.log(USAGE);
    return 0;
  }
  const proof = PROOFS.find((candidate) => candidate.name === name);
  const count = values.count === undefined ? proof?.count : Number(values.count);
  if (proof === undefined || more.length > 0 || count === undefined || !Number.isInteger(count) || count < 1) {
    console.error(USAGE);
    return 2;
  }
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  const { succeeded, tried } = await proof.run({ count, signal: interrupted.signal, log: (line) => console.log(line) });
  console.log(`${name}: ${succeeded} of ${tried} succeeded`);
  if (interrupted.signal.aborted) return 130;
  return succeeded === tried ? 0 : 1;
};

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
