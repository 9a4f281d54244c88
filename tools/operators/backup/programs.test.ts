import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { ended, inputOf, outputOf, wordsOf } from './programs.ts';

const run = (script: string) => {
  const child = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'pipe'] });
  const end = ended(child, 'sh', wordsOf(child));
  end.catch(() => undefined);
  return { child, end };
};
const CHUNKS = ['some', 'input'];
const MEGABYTES = Array.from({ length: 64 }, () => Buffer.alloc(2 ** 16));

it('accepts input after the program succeeded without reading it', async () => {
  const { child, end } = run('exec 1>&- 2>&-');
  await end;
  await pipeline(Readable.from(CHUNKS), inputOf(child, end));
});

it('accepts the end of the input after the program succeeded', async () => {
  const { child, end } = run('exec 1>&- 2>&-');
  const input = inputOf(child, end);
  await end;
  await new Promise((resolve) => input.end(resolve));
  expect(input.errored).toBeNull();
});

it('accepts input that the program stops reading before it succeeds', async () => {
  const { child, end } = run('head -c 10 >&2');
  await pipeline(Readable.from(MEGABYTES), inputOf(child, end));
});

it('passes the whole input to a program that reads it', async () => {
  const { child, end } = run('wc -c');
  const printed = text(outputOf(child, end));
  await pipeline(Readable.from(MEGABYTES), inputOf(child, end));
  expect((await printed).trim()).toBe(String(2 ** 22));
});

it.each([
  ['at once', 'echo broken >&2; exit 3'],
  ['in the middle of its input', 'head -c 10 >/dev/null; echo broken >&2; exit 3'],
])('fails the input with the message of a program that fails %s', async (_when, script) => {
  const { child, end } = run(script);
  await expect(pipeline(Readable.from(MEGABYTES), inputOf(child, end))).rejects.toThrow('sh ended with 3: broken');
});

it("fails the output with the program's message before a reader sees its end", async () => {
  const { child, end } = run('echo some; echo broken >&2; exit 3');
  await expect(text(outputOf(child, end))).rejects.toThrow('sh ended with 3: broken');
});

it('ends a program whose input was destroyed', async () => {
  const { child, end } = run('cat');
  inputOf(child, end).destroy();
  child.stdout.resume();
  await once(child, 'close');
  await end;
});
