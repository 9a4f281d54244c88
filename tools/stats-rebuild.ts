import { setTimeout as pause } from 'node:timers/promises';
import { SingleBar } from 'cli-progress';
import { z } from 'zod';
import { rebuildCalls, type RebuildProgress } from '../libs/contracts/src/stats/rebuild.calls.ts';
import { busConfig, connectBus, createLogger, createRequester, readConfig } from '../libs/kit/src/index.ts';
import { dataDirFrom } from './local/data-dir.ts';
import { runningNats } from './local/nats.ts';
import { natsPasswords, secretsIn } from './local/secrets.ts';
import { callInternally } from './local/internal-call.ts';
import type { Env } from './local/service-env.ts';

const USAGE = `Usage: npm run stats:rebuild

Has the statistics built anew from the logs of all sources, beside live traffic, and watches until they are
switched to. The service does it by itself: this may be stopped at any time, and run again to watch. Speaks to
the local system, or to the bus named by NATS_URL, NATS_USER and NATS_PASSWORD.`;

const LOOK_MS = 200;

/** The bus of the local system, unless the environment names another. */
const busEnv = (env: Env): Env => {
  if (env['NATS_URL']) return { SIGNING_SECRET: 'not needed to ask for a rebuild, only to serve', ...env };
  const dataDir = dataDirFrom(env);
  const NATS_URL = runningNats(dataDir);
  if (NATS_URL === undefined)
    throw new Error('The local system does not run: start it with `npm start`, or set NATS_URL.');
  const secrets = secretsIn(dataDir);
  const NATS_PASSWORD = natsPasswords(secrets)['NATS_ADMIN_PASSWORD'];
  return { NATS_URL, NATS_USER: 'admin', NATS_PASSWORD, SIGNING_SECRET: secrets.signing };
};

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
  const config = readConfig(z.object(busConfig), busEnv(process.env));
  const log = createLogger('stats-rebuild', 'error');
  const bus = await connectBus(config, 'stats-rebuild', log);
  const requester = createRequester(bus);
  const bar = createBar();
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  try {
    let progress = await callInternally(requester, rebuildCalls.begin, {});
    while (!progress.done && !stop.signal.aborted) {
      await pause(LOOK_MS);
      progress = await callInternally(requester, rebuildCalls.progress, {});
      bar.show(progress);
    }
    bar.end();
    console.log(progress.done ? 'The statistics are rebuilt.' : 'The rebuild goes on by itself; run again to watch it.');
  } finally {
    bar.end();
    requester.stop();
    await bus.close();
  }
};

if (process.argv.includes('--help')) console.log(USAGE);
else {
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
