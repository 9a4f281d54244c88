import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pathInProcess, smallDisk } from '../system/small-disk.ts';
import { POLL_OPTIONS } from './poll-options.ts';
import { inCheckout } from './run-tool.ts';

const KIT = JSON.stringify(inCheckout('libs/kit/src/ops/program.ts'));
const TELEMETRY = inCheckout('libs/kit/src/telemetry');
/** A program that logs `count` lines when it is told to, in several portions, and then answers. */
const PROGRAM = `
  import { runProgram } from ${KIT};
  import { createLogger } from ${JSON.stringify(`${TELEMETRY}/log.ts`)};
  import { logOutput } from ${JSON.stringify(`${TELEMETRY}/log-output.ts`)};
  let n = 0;
  await runProgram('fixture', async () => {
    const log = createLogger('fixture', 'info');
    process.on('message', ({ count }) => {
      process.emitWarning('to standard error');
      const logged = () => {
        for (let k = 0; k < 100 && count > 0; k += 1, count -= 1) log.info({ n: n += 1 }, 'x'.repeat(400));
        if (count > 0) setImmediate(logged);
        else process.send({ dropped: logOutput.dropped() });
      };
      logged();
    });
    process.send('ready');
    return { stop: async () => log.info('stopped') };
  });`;
const Answer = z.object({ dropped: z.int() });
const Line = z.object({ n: z.int().optional(), count: z.int().optional(), msg: z.string() });
type Line = z.output<typeof Line>;

/** More lines than wait for a slow reader at once: about 2.5 MB. */
const MANY = 5_000;

let folder: string;
let child: ChildProcess | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'teaching-output-'));
});
afterEach(() => void child?.kill('SIGKILL'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = async (output: number, errors = output, wrapper: readonly string[] = []): Promise<void> => {
  const [program, ...args] = [...wrapper, process.execPath, '--input-type=module', '--eval', PROGRAM];
  child = spawn(program, args, { stdio: ['ignore', output, errors, 'ipc'] });
  for (const fd of new Set([output, errors])) closeSync(fd);
  await once(child, 'message');
};
/** Lets the program log lines. Returns the number of dropped lines so far. */
const log = async (count: number): Promise<number> => {
  child?.send({ count });
  const [answer]: unknown[] = await once(child ?? process, 'message');
  return Answer.parse(answer).dropped;
};
const exitCode = async (): Promise<unknown> => {
  child?.kill('SIGTERM');
  const [code]: unknown[] = await once(child ?? process, 'exit');
  return code;
};

/** A pipe. The reading end does not wait. */
const openPipe = (): { reader: number; writer: number } => {
  const path = join(folder, 'pipe');
  rmSync(path, { force: true });
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: openSync(path, constants.O_WRONLY) };
};
/** The whole lines of the log, without warnings. */
const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => (line.startsWith('{') ? Line.parse(JSON.parse(line)) : []));

describe.runIf(process.platform === 'linux')('A program whose output cannot be written', () => {
  it.each([
    ['on a full disk', () => openSync('/dev/full', 'w')],
    ['into a closed descriptor', () => openSync('/dev/null', 'r')],
    [
      'into a pipe without a reader',
      () => {
        const { reader, writer } = openPipe();
        closeSync(reader);
        return writer;
      },
    ],
  ])('%s drops and counts its lines, continues, and ends when it is told to', async (_where, open) => {
    await start(open());
    await log(1);
    await expect.poll(() => log(0), POLL_OPTIONS).toBe(1);
    await log(MANY);
    await expect.poll(() => log(0), POLL_OPTIONS).toBe(MANY + 1);
    expect(await exitCode()).toBe(0);
  });

  it('into a pipe that is read again writes the lines that waited, the number of missing ones and all further ones, and ends although the pipe is full', async () => {
    const { reader, writer } = openPipe();
    await start(writer, openSync('/dev/null', 'w'));
    await log(MANY);
    const dropped = await log(0);
    expect(dropped).toBeGreaterThan(0);
    let text = '';
    const read = (): Line[] => {
      const buffer = Buffer.alloc(2 ** 16);
      try {
        for (let length = 1; length > 0;) text += buffer.toString('utf8', 0, (length = readSync(reader, buffer)));
      } catch (error) {
        if (!String(error).includes('EAGAIN')) throw error;
      }
      return linesOf(text);
    };
    await expect.poll(() => read().at(-1), POLL_OPTIONS).toMatchObject({ count: dropped });
    expect(await log(1)).toBe(dropped);
    await expect.poll(() => read().at(-1), POLL_OPTIONS).toMatchObject({ n: MANY + 1 });
    expect(read().filter(({ n }) => n !== undefined)).toHaveLength(MANY + 1 - dropped);
    await log(MANY);
    expect(await exitCode()).toBe(0);
    closeSync(reader);
  });

  it('as a command of the command line ends with exit code 3 and names the reason', () => {
    const output = openSync('/dev/full', 'w');
    const cli = [inCheckout('tools/cli.ts'), '--help'];
    const { status, stderr } = spawnSync(process.execPath, cli, {
      stdio: ['ignore', output, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(output);
    expect(status).toBe(3);
    expect(stderr).toMatch(/^the output is incomplete: ENOSPC/);
  });

  const SIZE = 2 ** 16;
  const isRefused = smallDisk(tmpdir(), SIZE) === undefined;
  it.skipIf(isRefused)(
    'on a disk that has room again writes whole lines, the number of missing ones and all further ones',
    async () => {
      const at = join(folder, 'disk');
      mkdirSync(at);
      // The shell opens the file, because only the program sees the disk.
      const redirected = ['sh', '-c', 'exec "$@" >"$0"', join(at, 'log')];
      await start(openSync('/dev/null', 'w'), openSync('/dev/full', 'w'), [
        ...(smallDisk(at, SIZE) ?? []),
        ...redirected,
      ]);
      const path = (name: string): string => pathInProcess(child?.pid ?? 0, join(at, name));
      writeFileSync(path('other'), Buffer.alloc(SIZE / 2));
      const lines = () => linesOf(readFileSync(path('log'), 'utf8'));
      await log(1_000);
      // One line may be written in part.
      await expect.poll(async () => lines().length + (await log(0)), POLL_OPTIONS).toBeGreaterThanOrEqual(999);
      const dropped = await log(0);
      rmSync(path('other'));
      await log(1);
      await expect.poll(() => lines().at(-1), POLL_OPTIONS).toMatchObject({ count: dropped });
      expect(lines().slice(0, -1)).toHaveLength(1_001 - dropped);
      expect(lines().at(-2)).toMatchObject({ n: 1_001 });
      expect(await exitCode()).toBe(0);
    },
  );
});
