import { parseArgs } from 'node:util';
import { z } from 'zod';
import { adminBus } from '@teaching/local/nats-address.ts';
import { prepareStreams } from './streams/prepare.ts';

const USAGE = `Usage: npm run -s streams [-- --replicas 3] [--max-bytes 1000000000]

Makes the stream of each log, or changes it: how many brokers of a cluster keep it, and how large it may grow
before its oldest messages go. All together have to fit into what the broker may store. Defaults come from
STREAM_REPLICAS (1) and STREAM_MAX_BYTES (1 GB). Removes the stream of release 0.1.0, whose events are in the logs.
Speaks to the local system, or to the bus that NATS_URL and NATS_ADMIN_PASSWORD name.`;

const Limits = z.object({
  replicas: z.coerce.number().int().min(1).max(5),
  max_bytes: z.coerce.number().int().min(1_000_000),
});

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { replicas: { type: 'string' }, 'max-bytes': { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) return console.log(USAGE);
  const limits = Limits.parse({
    replicas: values.replicas ?? process.env['STREAM_REPLICAS'] ?? 1,
    max_bytes: values['max-bytes'] ?? process.env['STREAM_MAX_BYTES'] ?? 1_000_000_000,
  });
  const done = await prepareStreams(adminBus(process.env), limits);
  for (const [what, names] of Object.entries(done)) if (names.length > 0) console.log(`${what}: ${names.join(', ')}`);
};

main().catch((error: unknown) => {
  console.error(error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
