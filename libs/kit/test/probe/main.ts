import { runAsProgram, startService } from '../../src/index.ts';
import { probeApp } from './app.ts';

/** The probe as a process of its own. */
const app = probeApp(() => {});
await runAsProgram(import.meta.url, (env, stop) => startService(app, env, { stop }));
