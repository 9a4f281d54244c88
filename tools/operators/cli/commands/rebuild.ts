import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { rebuildCalls, type RebuildProgress } from '../../../../libs/contracts/src/stats/rebuild.calls.ts';
import { asOperator, type Operator } from '../../operator/operator.ts';
import type { Context, Define } from '../command.ts';
import { parseOptions, flag } from '../options.ts';
import { startProgress } from '../progress.ts';

const POLL_MS = 200;

const Options = z.object({ json: flag() });

const sum = (numbers: Record<string, number>): number => Object.values(numbers).reduce((a, b) => a + b, 0);

const watch = async (operator: Operator, stop: AbortSignal): Promise<RebuildProgress> => {
  const bar = startProgress('statistics', 'events');
  try {
    let progress = await operator.ask(rebuildCalls.begin, {});
    while (!progress.done && !stop.aborted) {
      await pause(POLL_MS, undefined, { signal: stop }).catch(() => undefined);
      progress = await operator.ask(rebuildCalls.progress, {});
      bar.show(sum(progress.read), sum(progress.goal));
    }
    return progress;
  } finally {
    bar.end();
  }
};

const work = async (operator: Operator, json: boolean, context: Context): Promise<void> => {
  const stop = context.interruptible('The rebuild continues by itself; run this again to watch it.');
  const progress = await watch(operator, stop);
  if (json) context.print(JSON.stringify(progress));
  else if (progress.done) context.print('The statistics are rebuilt.');
};

export const define: Define = (command, context) => {
  command
    .option('--json', 'its progress, as JSON')
    .addHelpText(
      'after',
      `
Beside live traffic; watches until they are switched to. The service does it by itself: this may be stopped at any time,
and run again to watch. Speaks to the local system, or to the bus that NATS_URL and NATS_ADMIN_PASSWORD name.

Example:
  teaching rebuild`,
    )
    .action((given: unknown) => {
      const { json } = parseOptions(Options, given);
      return asOperator('rebuild', context.env, (operator) => work(operator, json, context));
    });
};
