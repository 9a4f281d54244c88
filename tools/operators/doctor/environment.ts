import type { z } from 'zod';
import { SERVICES } from '../../../libs/contracts/src/registry.ts';
import { ConfigError, type Env, readConfig } from '../../../libs/kit/src/index.ts';
import { serviceConfig } from '../../../libs/kit/src/ops/config.ts';
import { gatewayConfig } from '../../../services/gateway/src/config.ts';
import { migrateConfig } from '../migrate/config.ts';
import type { Finding } from './findings.ts';
import type { Configs, Installation, ProcessName } from './installation.ts';

/** The remedy for a problem of a variable, by the words of the problem. */
const mendOf = (name: ProcessName, line: string): string => {
  const [variable = ''] = line.split(' ');
  if (line.includes(' is not set')) return `set ${variable} in the environment of ${name}`;
  if (line.includes(' cannot be read'))
    return `make the file readable for the user that ${name} runs as, or correct its path`;
  return `correct ${variable} in the environment of ${name}`;
};

/** Reads the variables of a process by its own schema. */
const readOne = <T extends z.ZodObject>(name: ProcessName, schema: T, env: Env, found: Finding[]) => {
  try {
    return readConfig(schema, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.message.split('\n'))
      found.push({ check: 'variable', about: [name], wrong: line, mend: mendOf(name, line) });
    return undefined;
  }
};

/** Subjects contain the user's name, so a process with another name misses its messages. */
const userFinding = (name: ProcessName, user: string | undefined): Finding[] =>
  user === name
    ? []
    : [
        {
          check: 'user',
          about: [name],
          wrong: `NATS_USER of ${name} is ${user ?? 'not set'}`,
          mend: `set NATS_USER=${name} in the environment of ${name}`,
        },
      ];

/** Reads the variables of every process, as at its start. */
export const readEnvironment = ({ processes }: Installation): { configs: Configs; findings: Finding[] } => {
  const findings: Finding[] = [];
  const read = <T extends z.ZodObject>(name: ProcessName, schema: T) => {
    const env = processes.get(name);
    return env === undefined ? undefined : readOne(name, schema, env, findings);
  };
  const gateway = read('gateway', gatewayConfig);
  const services = SERVICES.flatMap((name) => {
    const config = read(name, serviceConfig);
    return config === undefined ? [] : [{ name, config }];
  });
  const configs = { gateway, services, migrate: read('migrate', migrateConfig) };
  if (gateway !== undefined) findings.push(...userFinding('gateway', gateway.NATS_USER));
  for (const { name, config } of services) findings.push(...userFinding(name, config.NATS_USER));
  return { configs, findings };
};
