import { z } from 'zod';
import { adminBus } from '../../operator/bus.ts';
import { prepareStreams } from '../../streams/prepare.ts';
import type { Define } from '../command.ts';
import { parseOptions, count, flag } from '../options.ts';

const Options = z.object({ replicas: count(1, 5), maxBytes: count(1_000_000, 1_000_000_000_000_000), json: flag() });

export const define: Define = (command, { env, print }) => {
  command
    .option('--replicas <n>', 'number of replicas of each stream', env['STREAM_REPLICAS'] || '1')
    .option(
      '--max-bytes <n>',
      'size in bytes at which a stream drops its oldest messages',
      env['STREAM_MAX_BYTES'] || '1000000000',
    )
    .option('--json', 'what was done, as JSON')
    .addHelpText(
      'after',
      `
Makes the stream of each log, or changes it. All together have to fit into what the broker may store. What is not given
comes from STREAM_REPLICAS and STREAM_MAX_BYTES. May be stopped at any time and run again. Speaks to the local system, or to the bus that NATS_URL and NATS_ADMIN_PASSWORD name.

Example:
  teaching streams --replicas 3 --max-bytes 5000000000`,
    )
    .action(async (given: unknown) => {
      const { replicas, maxBytes, json } = parseOptions(Options, given);
      const done = await prepareStreams(await adminBus(env), { replicas, max_bytes: maxBytes });
      if (json) return print(JSON.stringify(done));
      for (const [what, names] of Object.entries(done)) if (names.length > 0) print(`${what}: ${names.join(', ')}`);
    });
};
