import { pathToFileURL } from 'node:url';
import { ConfigError, type Env } from './config.ts';
import type { Running } from './service.ts';

/** Runs `start` when the module is the program itself: signals stop it cleanly, a bad configuration says what. */
export const runAsProgram = async (moduleUrl: string, start: (env: Env) => Promise<Running>): Promise<void> => {
  const program = process.argv[1];
  if (program === undefined || moduleUrl !== pathToFileURL(program).href) return;
  try {
    const running = await start(process.env);
    const stop = (): void => {
      running.stop().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
  } catch (error) {
    const message = error instanceof ConfigError ? error.message : error;
    console.error(message);
    process.exit(1);
  }
};
