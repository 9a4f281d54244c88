import { runAsProgram, startService } from '../../src/index.ts';
import { probeApp } from './probe-app.ts';

/** The probe as a separate process. */
const app = probeApp(() => {});
await runAsProgram(import.meta.url, (env, stop) => startService(app, env, { stop }));
