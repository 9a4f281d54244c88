import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ID, PersonId, Role } from '../libs/contracts/src/scalars.ts';
import { dataDirFrom, makeDataDir } from '@teaching/local/data-dir.ts';
import { issueToken, keysIn, type TokenRequest } from '@teaching/local/keys.ts';

const USAGE = `Usage: npm run -s token -- --org <uuid> --sub <id> --role SUPERVISOR [--role TEACHER] [--ttl 1h]

Prints a bearer token that the local system accepts.
  --org   the organization's id, any UUID
  --sub   the user's id: 1 to 128 printable characters without space or /
  --role  SUPERVISOR, TEACHER, STUDENT or GUARDIAN; may be given several times
  --ttl   how long it is valid, such as 90s, 30m, 1h, 7d (default 1h)`;

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 };

const Ttl = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/, 'must be a number and a unit: 90s, 30m, 1h, 7d')
  .transform((text) => {
    const unit = z.enum(['s', 'm', 'h', 'd']).parse(text.at(-1));
    return Number.parseInt(text, 10) * SECONDS[unit];
  });

const Arguments = z.object({
  org: z.string('is missing').pipe(ID),
  sub: z.string('is missing').pipe(PersonId),
  role: z.array(Role, 'is missing').transform((roles) => [...new Set(roles)]),
  ttl: Ttl,
});

const read = (): TokenRequest => {
  const text = { type: 'string' } as const;
  const options = { org: text, sub: text, role: { ...text, multiple: true }, ttl: { ...text, default: '1h' } } as const;
  const { org, sub, role, ttl } = Arguments.parse(parseArgs({ options }).values);
  return { org, sub, roles: role, ttlSeconds: ttl };
};

/** What was wrong with the arguments, one line for each; anything else is a fault of ours. */
const explain = (error: unknown): string[] => {
  if (error instanceof z.ZodError) return error.issues.map((issue) => `--${String(issue.path[0])} ${issue.message}`);
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
    return [error.message];
  throw error;
};

const main = (): void => {
  if (process.argv.includes('--help')) return console.log(USAGE);
  try {
    const request = read();
    const dataDir = dataDirFrom(process.env);
    makeDataDir(dataDir);
    console.log(issueToken(keysIn(dataDir), request));
  } catch (error) {
    console.error([...explain(error), '', USAGE].join('\n'));
    process.exitCode = 2;
  }
};

main();
