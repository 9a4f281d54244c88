/**
 * Runs one service in its own process: `node service-main.ts <its main.ts>`. Ends on SIGTERM, and when the runner that started it has
 * ended in any way.
 */
import { basename, resolve } from 'node:path';
import { runProgram } from '@teaching/kit/program';
import { loadService } from './load-service.ts';

/** Open requests get this long to finish. */
const PATIENCE_MS = 3_000;

const mainFile = process.argv[2] ?? '';

// Ctrl-C reaches the whole terminal; the runner stops everything in order.
process.on('SIGINT', () => undefined);

await runProgram(
  basename(resolve(mainFile, '../..')),
  async (env, stop) => (await loadService(mainFile))(env, { stop }),
  {
    stop_ms: PATIENCE_MS,
    stopOn: (stop) => {
      process.on('SIGTERM', stop);
      process.once('disconnect', stop);
    },
  },
);
process.send?.('ready');
