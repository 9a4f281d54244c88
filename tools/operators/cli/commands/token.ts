import { dataDirFrom, makeDataDir } from '@teaching/local/data-dir.ts';
import { issueToken, keysIn } from '@teaching/local/keys.ts';
import { z } from 'zod';
import { ID, PersonIdInput, Role } from '../../../../libs/contracts/src/scalars.ts';
import type { Define } from '../command.ts';
import { parseOptions, collectOption } from '../options.ts';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 };

const Ttl = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/, 'must be a number and a unit: 90s, 30m, 1h, 7d')
  .transform((text) => {
    const unit = z.enum(['s', 'm', 'h', 'd']).parse(text.at(-1));
    return Number.parseInt(text, 10) * SECONDS[unit];
  });

const Options = z.object({
  org: z.string('is missing').pipe(ID),
  sub: z.string('is missing').pipe(PersonIdInput),
  role: z.array(Role, 'is missing').transform((roles) => [...new Set(roles)]),
  ttl: Ttl,
});

export const define: Define = (command, { env, print }) => {
  command
    .option('--org <uuid>', "the organization's id, any UUID")
    .option('--sub <id>', "the user's id: 1 to 128 printable characters without space or /")
    .option('--role <role>', 'SUPERVISOR, TEACHER, STUDENT or GUARDIAN; may be given several times', collectOption)
    .option('--ttl <time>', 'how long it is valid, such as 90s, 30m, 1h, 7d', '1h')
    .addHelpText(
      'after',
      `
Signed by the key in DATA_DIR, which the local system, and one made by compose-env with the same DATA_DIR, believe.

Example:
  teaching token --org 01900000-0000-7000-8000-000000000001 --sub ada --role TEACHER`,
    )
    .action((given: unknown) => {
      const { org, sub, role, ttl } = parseOptions(Options, given);
      const dataDir = dataDirFrom(env);
      makeDataDir(dataDir);
      print(issueToken(keysIn(dataDir), { org, sub, roles: role, ttlSeconds: ttl }));
    });
};
