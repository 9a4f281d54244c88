import { afterEach, beforeEach } from 'vitest';
import { clearLines, linesSince, lineCount, formatLine } from './log-lines.ts';

// Runs before each test file. Files share a process, so each begins without lines. Shows the lines of a failed test.
clearLines();
let before = 0;
beforeEach(() => {
  before = lineCount();
});
afterEach(({ task }) => {
  const said = linesSince(before);
  if (task.result?.state !== 'fail' || said.length === 0) return;
  console.error(`The services said during “${task.name}”:\n${said.map(formatLine).join('\n')}`);
});
