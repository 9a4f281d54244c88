import { join } from 'node:path';
import type { Running } from '@teaching/kit';
import { carryOver } from '../../../operators/migrate/carry-over.ts';
import { provision } from '../../../operators/migrate/provision.ts';
import { buildConsole, needsConsole } from '../../console/build.ts';
import { makeDataDir } from './data-dir.ts';
import { keysIn, type Keys } from './keys.ts';
import { loadService } from './load-service.ts';
import { prepareLogin } from './login.ts';
import { lockFolder } from './lock.ts';
import { portProblem } from './ports.ts';
import { printNote, step } from './console-output.ts';
import { SERVICES } from './secrets.ts';
import { type Env, gatewayEnv } from './service-env.ts';
import { startServiceProcess, type ServiceSpec } from './service-process.ts';
import type { Settings } from './settings.ts';
import { prepareStreams } from '../../../operators/streams/prepare.ts';
import { installationConfig } from './broker-config.ts';
import { startStack, type Stack } from './stack.ts';

/** Maximal size of a stream on the disk of a trial. */
const STREAM_BYTES = 1_000_000_000;

/** Collects undo actions; they run in the opposite order. */
export type Undo = (stop: () => Promise<void> | void) => void;

export type RunOptions = {
  settings: Settings;
  /** Holds one folder for each service. */
  servicesDir: string;
  env: Env;
  undo: Undo;
};

/** The runner's own variables: a service gets its part of them, or nothing. */
const OWN = /^(NATS_|npm_|(DATABASE_ADMIN_URL|DATA_DIR|PROCESSES|PORT|HOST|LOGIN_PORT|DEMO)$)/;

const inherited = (env: Env): Env => Object.fromEntries(Object.entries(env).filter(([name]) => !OWN.test(name)));

const specOf = (name: string, own: Env, { servicesDir, env, settings }: RunOptions): ServiceSpec => ({
  name,
  mainFile: join(servicesDir, name, 'src', 'main.ts'),
  env: {
    LOG_LEVEL: 'warn',
    // One person who tries it, or a load test, must not be limited.
    RATE_LIMIT: '10000000',
    // Later starts skip stripping types and compiling.
    NODE_COMPILE_CACHE: join(settings.dataDir, 'compile-cache'),
    IN_PROCESS_CALLS: 'on',
    ...inherited(env),
    ...own,
  },
  log: printNote,
});

const never = new Promise<never>(() => undefined);

const startHere = async ({ name, mainFile, env }: ServiceSpec): Promise<Running> => {
  const start = await loadService(mainFile);
  const running = await start(env);
  const { failed = never } = running;
  return { stop: () => running.stop(), failed: failed.then(({ message }) => new Error(`${name}: ${message}`)) };
};

/** Waits for all, so that those that started are stopped even when another did not start. */
const together = async (starts: Promise<Running>[], undo: Undo): Promise<Running[]> => {
  const results = await Promise.allSettled(starts);
  const running = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  undo(async () => {
    await Promise.all(running.map((service) => service.stop()));
  });
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return running;
};

/** The local broker gets its streams here. */
const streams = ({ natsUrl, secrets }: Stack) =>
  prepareStreams(
    { NATS_URL: natsUrl, NATS_USER: 'admin', NATS_PASSWORD: () => [secrets.nats.admin] },
    { replicas: 1, max_bytes: STREAM_BYTES },
  );

/** Gives every service its schema and roles in the stack's database. */
const provisionAll = async ({ adminUrl, secrets }: Stack): Promise<void> => {
  await Promise.all(SERVICES.map((service) => provision({ adminUrl, service, passwords: secrets.database[service] })));
};

/** The console is built beside everything else; the API serves without it. */
const pages = async (settings: Settings): Promise<void> => {
  if (!settings.console || !needsConsole()) return;
  await step('console', buildConsole).catch((error: unknown) => printNote(String(error)));
};

/**
 * Starts the whole system: lock, servers, schemas, services, gateway. If a step fails, everything started before has been given to
 * `undo`. Resolves when everything is ready. `broken` resolves with the reason when the system cannot continue. A service in its own process is
 * started again instead.
 */
export const run = async (options: RunOptions): Promise<{ keys: Keys; broken: Promise<string> }> => {
  const { settings, env, undo } = options;
  const { dataDir, host, port, processes } = settings;
  const apart = (name: string): boolean => processes === 'many' || (processes === 'two' && name === 'gateway');
  const launch = (name: string, own: Env) =>
    step(name, () => (apart(name) ? startServiceProcess : startHere)(specOf(name, own, options)));

  makeDataDir(dataDir);
  undo(lockFolder(dataDir));
  const problem = await portProblem(port, host);
  if (problem) throw new Error(problem);

  const built = pages(settings);
  const natsConfig = env['NATS_URL'] ? undefined : await installationConfig();
  const stack = await startStack({ dataDir, env, step, log: printNote, natsConfig });
  undo(stack.stop);
  await step('schemas and roles', () => provisionAll(stack));
  if (!env['NATS_URL']) await step('streams', () => streams(stack));
  const services = await together(
    SERVICES.map((name) => launch(name, stack.envFor(name))),
    undo,
  );
  await step('rows that moved', () => carryOver(stack.adminUrl));
  await built;
  const keys = keysIn(dataDir);
  const login = await prepareLogin(settings);
  const entrance = gatewayEnv(stack, { jwksFile: keys.jwksFile, host, port });
  const fronts = [
    launch('gateway', { ...entrance, CONSOLE_URL: settings.console_url, ...login?.env }),
    ...(login === undefined ? [] : [step('login', login.start)]),
  ];
  const faces = await together(fronts, undo);
  const failures = [...services, ...faces].map(({ failed = never }) => failed.then(({ message }) => message));
  const ended = stack.broken.then((server) => `${server} ended unexpectedly; its log is in ${dataDir}`);
  return { keys, broken: Promise.race([ended, ...failures]) };
};
