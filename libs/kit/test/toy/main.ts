import { runAsProgram, startService } from '../../src/index.ts';
import { echoes, toyApp } from './app.ts';

const fail = async (): Promise<never> => {
  throw new Error('made to fail');
};

/** The toy as a process of its own, in which `write` fails. */
const app = toyApp(() => ({ ...echoes(), write: fail }));
await runAsProgram(import.meta.url, (env, stop) => startService(app, env, { stop }));
