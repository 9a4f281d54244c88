import { afterEach, beforeEach } from 'vitest';
import { forgetLines, saidSince, saidSoFar, shownLine } from './log-lines.ts';

// Runs before each test file. Files share a process, so each begins without lines. Shows the lines of a failed test.
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
