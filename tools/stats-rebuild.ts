import { setTimeout as pause } from 'node:timers/promises';
import { SingleBar } from 'cli-progress';
import { rebuildCalls, type RebuildProgress } from '../libs/contracts/src/stats/rebuild.calls.ts';
import { connectOperator } from '@teaching/local/internal-call.ts';

const USAGE = `Usage: npm run stats:rebuild

Has the statistics built anew from the logs of all sources, beside live traffic, and watches until they are
switched to. The service does it by itself: this may be stopped at any time, and run again to watch. Speaks to
the local system, or to the bus that NATS_URL and NATS_ADMIN_PASSWORD name.`;

const LOOK_MS = 200;

const sum = (numbers: Record<string, number>): number => Object.values(numbers).reduce((a, b) => a + b, 0);

/** A bar on a terminal; nothing but the last line elsewhere. */
const createBar = () => {
  if (!process.stdout.isTTY) return { show: () => {}, end: () => {} };
  const bar = new SingleBar({
    format: 'statistics [{bar}] {percentage}% | {value} of {total} events | {eta_formatted} left',
  });
  bar.start(1, 0);
  return {
    show: ({ read, goal }: RebuildProgress): void => {
      bar.setTotal(Math.max(1, sum(goal)));
      bar.update(sum(read));
    },
    end: (): void => bar.stop(),
  };
};

const main = async (): Promise<void> => {
  const operator = await connectOperator('stats-rebuild', process.env);
  const bar = createBar();
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  try {
    let progress = await operator.ask(rebuildCalls.begin, {});
    while (!progress.done && !stop.signal.aborted) {
      await pause(LOOK_MS);
      progress = await operator.ask(rebuildCalls.progress, {});
      bar.show(progress);
    }
    bar.end();
    console.log(progress.done ? 'The statistics are rebuilt.' : 'The rebuild goes on by itself; run again to watch.');
  } finally {
    bar.end();
    await operator.close();
  }
};

if (process.argv.includes('--help')) console.log(USAGE);
else {
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
