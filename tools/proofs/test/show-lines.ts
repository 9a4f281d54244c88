import { afterEach, beforeEach } from 'vitest';
import { forgetLines, saidSince, saidSoFar, shownLine } from './log-lines.ts';

/** Runs before each file. Files share a process, which begins each without lines and shows them where a test failed. */
forgetLines();
let before = 0;
beforeEach(() => {
  before = saidSoFar();
});
afterEach(({ task }) => {
  const said = saidSince(before);
  if (task.result?.state !== 'fail' || said.length === 0) return;
  console.error(`The services said during “${task.name}”:\n${said.map(shownLine).join('\n')}`);
});
