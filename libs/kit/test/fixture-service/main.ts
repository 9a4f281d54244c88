import { runAsProgram, startService } from '../../src/index.ts';
import { echoActions, fixtureServiceApp } from './fixture-service-app.ts';

const fail = async (): Promise<never> => {
  throw new Error('made to fail');
};

/** The fixture service as a separate process, in which `write` fails. */
const app = fixtureServiceApp(() => ({ ...echoActions(), write: fail }));
await runAsProgram(import.meta.url, (env, stop) => startService(app, env, { stop }));
