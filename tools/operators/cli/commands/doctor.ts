import { tmpdir } from 'node:os';
import { z } from 'zod';
import { examine } from '../../doctor/examine-installation.ts';
import type { Finding } from '../../doctor/findings.ts';
import { OLDEST, PROCESSES } from '../../doctor/installation.ts';
import { fromCompose, fromFiles, fromEnvironment, type Processes } from '../processes.ts';
import type { Context, Define } from '../command.ts';
import { parseOptions, count, flag, collectOption } from '../options.ts';

/** The bytes that a disk must have free if processes write to it rarely. */
const LEAST_FREE = 1_000_000_000;

const Options = z
  .object({
    env: z.array(z.string()).default([]),
    compose: z.string().optional(),
    copies: count(1, 100),
    json: flag(),
  })
  .refine(({ env, compose }) => env.length === 0 || compose === undefined, {
    path: ['compose'],
    error: 'must not be combined with --env',
  });

const processesOf = ({ env, compose }: z.output<typeof Options>, context: Context): Promise<Processes> => {
  if (compose !== undefined) return fromCompose(compose);
  return env.length > 0 ? fromFiles(env) : fromEnvironment(context.env);
};

const show = ({ about, wrong, mend }: Finding): string => `✗ ${about.join(', ')}: ${wrong}\n  → ${mend}`;

const work = async (options: z.output<typeof Options>, context: Context): Promise<void> => {
  const processes = await processesOf(options, context);
  const findings = await examine({
    processes,
    isHere: options.compose === undefined,
    copies: options.copies,
    folders: [tmpdir()],
    leastFree: LEAST_FREE,
    oldest: OLDEST,
    clock: () => new Date(),
  });
  const looked = [...processes.keys()];
  if (findings.length > 0) context.notWell();
  if (options.json) return context.print(JSON.stringify({ processes: looked, findings }));
  for (const one of findings) context.print(show(one));
  context.print(
    findings.length === 0
      ? `All is well: ${looked.join(', ')}.`
      : `${findings.length} faults to correct (${looked.join(', ')}).`,
  );
};

export const define: Define = (command, context) => {
  command
    .option('--env <process=file>', 'the variables of a process, one a line; may be repeated', collectOption)
    .option('--compose <file>', 'what "docker compose config --format json" prints; - reads it from stdin')
    .option('--copies <n>', 'instances of each service', '1')
    .option('--json', 'findings as JSON: check, about, wrong, mend')
    .addHelpText(
      'after',
      `
Processes: ${PROCESSES.join(', ')}. Without options: the process in whose environment it runs (NATS_USER says which), else the
local system while it runs. Variables are read by the schemas of the processes, and it logs in as they do: run it where they
run. Looks at variables, keys, certificates, Postgres, the broker, streams, ports and disks. Changes nothing, and prints no
secret. With code 1 something has to be mended: for each a line that says what, and one that says how.

Examples:
  teaching doctor
  teaching doctor --env gateway=gateway.env --env clazz=clazz.env --copies 2
  docker compose config --format json | docker compose run --rm -T migrate teaching doctor --compose -`,
    )
    .action((given: unknown) => work(parseOptions(Options, given), context));
};
