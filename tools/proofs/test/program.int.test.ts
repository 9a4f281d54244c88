import { createServer, type Server } from 'node:net';
import { describe, expect, it } from 'vitest';
import { VERIFY_CALLER } from './signing-keys.ts';
import { z } from 'zod';
import { readConfig, serviceConfig } from '../../../libs/kit/src/ops/config.ts';
import { gatewayConfig } from '../../../services/gateway/src/config.ts';
import { SERVICES } from '../../../libs/contracts/src/registry.ts';
import { type ProcessResult, inCheckout, launch } from './run-tool.ts';
import { POLL_OPTIONS } from './poll-options.ts';

const main = (service: string): string => inCheckout(`services/${service}/src/main.ts`);
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const namesOf = (lines: readonly string[]): (string | undefined)[] => lines.map((line) => line.split(' ')[0]);

/** Settings whose servers do not exist: nothing listens on port 1. */
const UNREACHABLE = {
  HEALTH_PORT: '0',
  NATS_URL: '127.0.0.1:1',
  SIGNING_SECRET: 'a secret of at least thirty-two characters',
  CALLER_KEYS: VERIFY_CALLER,
  DATABASE_URL: 'postgres://course_app:hunter2@127.0.0.1:1/teaching',
  WORKER_DATABASE_URL: 'postgres://course_worker:hunter2@127.0.0.1:1/teaching',
};

/** Starts a server that accepts connections and never answers. */
const startSilentServer = async (): Promise<{ server: Server; port: number }> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1' }, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { server, port: address.port };
};

const PROGRAMS = [
  ...SERVICES.map((name) => ({ name, schema: serviceConfig })),
  { name: 'gateway', schema: gatewayConfig },
];

describe.each(PROGRAMS)('The program $name', ({ name, schema }) => {
  const variables: [string, z.ZodType][] = Object.entries(schema.shape);
  const isRefused = (variable: string, type: z.ZodType, given: string | undefined): boolean => {
    try {
      readConfig(z.object({ [variable]: type }), { [variable]: given });
      return false;
    } catch {
      return true;
    }
  };
  const refused = (given: string | undefined) =>
    variables.filter(([variable, type]) => isRefused(variable, type, given)).map(([variable]) => variable);

  it('prints one line for each missing setting and nothing else', async () => {
    const { code, out, err } = await launch([main(name)], {}).ended;
    expect({ code, out, named: namesOf(linesOf(err)) }).toEqual({ code: 1, out: '', named: refused(undefined) });
    for (const line of linesOf(err)) expect(line).toMatch(/^[A-Z_]+ is not set: \S+ /);
  });

  it('prints one line for each invalid setting and nothing else', async () => {
    const wrong = '?? ??';
    const env = Object.fromEntries(variables.map(([variable]) => [variable, wrong]));
    const { code, out, err } = await launch([main(name)], env).ended;
    expect({ code, out, named: namesOf(linesOf(err)) }).toEqual({ code: 1, out: '', named: refused(wrong) });
    for (const line of linesOf(err)) expect(line).toMatch(/^[A-Z_]+ (must|is not an?|is not the) /);
  });
});

describe('A stop signal', () => {
  /** Starts a service, sends the signal when its output contains `once`, and returns how it ended. */
  const stopped = async (env: NodeJS.ProcessEnv, once: string, signal: NodeJS.Signals): Promise<ProcessResult> => {
    const { child, out, ended } = launch([main('course')], { ...UNREACHABLE, ...env });
    await expect.poll(out, POLL_OPTIONS).toContain(once);
    child.kill(signal);
    return ended;
  };

  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends a service with exit code 0 while it waits for the bus',
    async (signal) => {
      expect(await stopped({}, 'waiting for the bus at 127.0.0.1:1: connection refused', signal)).toMatchObject({
        code: 0,
        err: '',
      });
    },
  );

  it('ends a service with exit code 0 while it waits for a server that never answers', async () => {
    const { server: silent, port } = await startSilentServer();
    const connected = new Promise((resolve) => silent.once('connection', resolve));
    const { child, ended } = launch([main('course')], { ...UNREACHABLE, NATS_URL: `127.0.0.1:${port}` });
    await connected;
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, err: '' });
    silent.close();
  });

  it('ends a service with exit code 0 before its modules are loaded', async () => {
    // The hook sends the signal as soon as a handler is registered; a registration after loading exits with 7.
    const hook = `import { registerHooks } from 'node:module';
      let isLoaded = false;
      registerHooks({ load: (url, context, next) => { isLoaded ||= url.endsWith('/src/app.ts'); return next(url, context); } });
      process.on('newListener', (name) => name === 'SIGTERM' && (isLoaded ? process.exit(7) : process.kill(process.pid, name)));`;
    const early = `--import=data:text/javascript,${encodeURIComponent(hook)}`;
    expect(await launch([early, main('course')], UNREACHABLE).ended).toMatchObject({ code: 0, err: '' });
  });
});

describe('A program', () => {
  const KIT = JSON.stringify(inCheckout('libs/kit/src/ops/program.ts'));
  /** Runs the code `start` as a program of its own. `stop` in its result is the function that stops it. */
  const program = (start: string, env: NodeJS.ProcessEnv = {}, stop_ms = 300): Promise<ProcessResult> => {
    const code = `import { runProgram } from ${KIT};
      const stays = setInterval(() => {}, 1000);
      await runProgram('fixture', async () => { ${start} }, { stop_ms: ${stop_ms} });`;
    return launch(['--input-type=module', '--eval', code], env).ended;
  };
  const fatal = ({ code, out, err }: ProcessResult) => ({
    code,
    err,
    lines: linesOf(out).map((line) => JSON.parse(line)),
  });
  const KILL = "setTimeout(() => process.kill(process.pid, 'SIGTERM'));";

  it('that does not stop in time logs it and fails', async () => {
    const ended = await program(`${KILL} return { stop: () => new Promise(() => {}) }`);
    const msg = 'the process did not stop within 0.3 s';
    expect(fatal(ended)).toMatchObject({ code: 1, err: '', lines: [{ level: 'fatal', service: 'fixture', msg }] });
  });

  it('that stops in time exits with 0, also after a second signal', async () => {
    const stop = 'stop: () => new Promise((resolve) => setTimeout(resolve, 100))';
    expect(await program(`${KILL} ${KILL} return { ${stop} }`)).toEqual({ code: 0, out: '', err: '' });
  });

  it('whose traces and metrics go to a collector that never answers exits with 0 when it is told to', async () => {
    const { server: silent, port } = await startSilentServer();
    const sdk = JSON.stringify(inCheckout('libs/kit/src/telemetry/sdk.ts'));
    const start = `const { startTelemetry } = await import(${sdk});
      const stop = await startTelemetry('fixture', process.env);
      ${KILL} return { stop };`;
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
    expect(await program(start, env, 8_000)).toEqual({ code: 0, out: '', err: '' });
    silent.close();
  });

  it('that cannot continue logs the reason and fails', async () => {
    const ended = await program("return { stop: async () => {}, failed: Promise.resolve(new Error('no bus')) }");
    expect(fatal(ended)).toMatchObject({ code: 1, err: '', lines: [{ level: 'fatal', msg: 'no bus' }] });
  });

  it.each(["throw new Error('a\\nb')", "Promise.reject(new Error('a\\nb'))"])(
    'with an unhandled error logs it in one line with its stack and fails: %s',
    async (how) => {
      const ended = await program(`setTimeout(() => { ${how} }); return { stop: async () => {} }`);
      const err = { message: 'a\nb', stack: expect.stringContaining('at ') };
      expect(fatal(ended)).toMatchObject({
        code: 1,
        err: '',
        lines: [{ level: 'fatal', msg: 'uncaught error: a b', err }],
      });
    },
  );

  it('that cannot start prints the reason in one line, and the stack only with LOG_LEVEL=debug', async () => {
    const start = "throw new Error('a\\nb')";
    expect(await program(start)).toEqual({ code: 1, out: '', err: 'cannot start: a b\n' });
    expect((await program(start, { LOG_LEVEL: 'debug' })).err).toContain('    at ');
  });

  it('whose port is in use names the variable', async () => {
    const taken = await startSilentServer();
    const env = { ...UNREACHABLE, HEALTH_HOST: '127.0.0.1', HEALTH_PORT: String(taken.port) };
    const err = 'HEALTH_PORT names a port that another program listens on: choose another\n';
    expect(await launch([main('course')], env).ended).toEqual({ code: 1, out: '', err });
    taken.server.close();
  });
});
