import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Preloaded into each watched process. On `SIGUSR2` it collects all garbage and prints the memory that is needed, in
 * MiB. The memory that a process holds is no measure: garbage stays until the next collection, and the young generation
 * grows and shrinks with the load.
 */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const MIB = 2 ** 20;

process.on('SIGUSR2', () => {
  collect();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const [needed, native] = [(heapUsed + external) / MIB, (rss - heapTotal - external) / MIB];
  process.stderr.write(`memory: ${needed.toFixed(1)} needed, ${native.toFixed(1)} native\n`);
});
