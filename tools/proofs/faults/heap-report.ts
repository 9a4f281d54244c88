import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded into a process that is watched: at `SIGUSR2` it collects all garbage and prints what it needs then, in MiB.
 * What a process holds says little: garbage lies about until a collector comes along, and the room for young things
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
