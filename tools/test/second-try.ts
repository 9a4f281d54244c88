import type { Reporter, TestModule } from 'vitest/node';
import { appendFileSync } from 'node:fs';

/** The variable that names the file where Vitest leaves a line for each file to be tried again. */
export const TRY_AGAIN = 'TRY_AGAIN';

/** More than these are no machine that stood still. */
const MOST = 4;
/** Vitest calls a worker that died an error of nobody's; its files are those that did not end. */
const WORKER_DIED = /^Worker exited unexpectedly/;

const hasEnded = (module: TestModule): boolean => ['passed', 'skipped'].includes(module.state());

/**
 * Tells which files are worth a second try: few, and none without servers, for whom no machine is too slow. An error that no
 * test threw stays one.
 */
export default class SecondTry implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly { message: string }[]): void {
    const file = process.env[TRY_AGAIN];
    const open = modules.filter((module) => !hasEnded(module));
    const isOwn = open.some((module) => module.project.name === 'unit');
    const isNobodys = errors.some(({ message }) => !WORKER_DIED.test(message));
    if (file === undefined || isOwn || isNobodys || open.length > MOST) return;
    for (const path of new Set(open.map((module) => module.moduleId))) appendFileSync(file, `${path}\n`);
  }
}
