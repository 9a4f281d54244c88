import { issueToken, keysIn } from '@teaching/local/keys.ts';
import { settingsFrom } from '@teaching/local/settings.ts';
import { z } from 'zod';
import { createClient } from '../../../../libs/client/src/index.ts';
import { growOrg } from '../../seed/grow-organization.ts';
import { planOrgs, PRINCIPAL } from '../../seed/plan.ts';
import type { Context, Define } from '../command.ts';
import { parseOptions, count, flag } from '../options.ts';
import { startProgress } from '../progress.ts';

const TOKEN_SECONDS = 86_400;

const Options = z.object({
  name: z.string().min(1).max(100),
  orgs: count(1, 1_000),
  students: count(1, 10_000),
  weeks: count(0, 100),
  address: z.url('must be the address of a gateway').optional(),
  json: flag(),
});

const work = async (options: z.output<typeof Options>, context: Context): Promise<void> => {
  const { host, port, dataDir } = settingsFrom(context.env);
  const { address: base_url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`, weeks, json } = options;
  const keys = keysIn(dataDir);
  const stop = context.interruptible('Created data stays; run it again with the same options to continue.');
  const orgs = planOrgs(options);
  const all = orgs.reduce((sum, { clazzes }) => sum + clazzes.length, 0);
  const bar = startProgress('seeding', 'classes');
  let done = 0;
  try {
    for (const org of orgs) {
      const token = issueToken(keys, {
        org: org.org_id,
        sub: PRINCIPAL,
        roles: ['SUPERVISOR'],
        ttlSeconds: TOKEN_SECONDS,
      });
      const client = createClient({ base_url, token });
      await growOrg({ client, weeks, now: new Date(), onClazz: () => bar.show((done += 1), all), stop }, org);
      if (stop.aborted) return;
    }
  } finally {
    bar.end();
  }
  const made = orgs.map(({ org_id, people, clazzes }) => ({ org_id, people: people.length, clazzes: clazzes.length }));
  if (json) return context.print(JSON.stringify({ orgs: made }));
  for (const { org_id, people, clazzes } of made) context.print(`${org_id}: ${people} people, ${clazzes} classes`);
};

export const define: Define = (command, context) => {
  command
    .option('--orgs <n>', 'number of organizations', '1')
    .option('--students <n>', 'students of each organization', '60')
    .option('--weeks <n>', 'past weeks of lessons, with their roll calls', '4')
    .option('--name <text>', 'the same name makes the same organizations', 'seed')
    .option('--address <url>', 'the gateway (default: that of the local system, HOST and PORT)')
    .option('--json', 'ids of the organizations, as JSON')
    .addHelpText(
      'after',
      `
Through the API, as the principal of each organization, with tokens signed by the key in DATA_DIR: for the local system, or one
made with compose-env. Looks at what is there and makes what is missing: run again it goes on where it was stopped, and a run
after that changes nothing. "teaching token" makes tokens for its people: ${PRINCIPAL}, teacher-1, student-1 and so on.

Example:
  teaching seed --orgs 3 --students 200 --weeks 12`,
    )
    .action((given: unknown) => work(parseOptions(Options, given), context));
};
