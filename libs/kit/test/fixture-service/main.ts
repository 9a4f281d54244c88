import { runAsProgram, startService } from '../../src/index.ts';
import { echoCalls, fixtureServiceApp } from './app.ts';

const fail = async (): Promise<never> => {
  throw new Error('made to fail');
};

/** The fixture service as a separate process, in which `write` fails. */
const app = fixtureServiceApp(() => ({ ...echoCalls(), write: fail }));
await runAsProgram(import.meta.url, (env, stop) => startService(app, env, { stop }));
