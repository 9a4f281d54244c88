import { randomUUID } from 'node:crypto';
import { freePort } from '@teaching/local/ports.ts';
import { hasJoinedWithin } from '../../system/instance-health.ts';
import type { ProxiedInstance } from '../../system/proxied-instances.ts';
import { FULL_DISK } from '../../system/small-disk.ts';
import { limitFor, type Scenario } from '../scenario.ts';
import { createRequestKinds, failureSummary, isSuccess, runTraffic } from '../traffic.ts';

const RATE = 40;
const LOAD_MS = 5_000;
const SHORT_LOAD_MS = 2_000;
const JOIN_MS = 20_000;
const STOP_TIMEOUT_MS = 10_000;
const METRICS_TIMEOUT_MS = 5_000;

/** The number of log lines that the instance dropped, from its metrics; 0 without an answer. */
const droppedLines = async (port: number): Promise<number> => {
  const metrics = await fetch(`http://127.0.0.1:${port}/metrics`, {
    signal: AbortSignal.timeout(METRICS_TIMEOUT_MS),
  }).then(
    (response) => response.text(),
    () => '',
  );
  return Number(/^teaching_log_lines_dropped_total(?:\{.*\})? (\d+)/m.exec(metrics)?.[1] ?? 0);
};

interface Restarted {
  one: ProxiedInstance;
  port: number;
}

const restartWithoutOutput = async (one: ProxiedInstance): Promise<Restarted> => {
  const port = await freePort();
  await one.kill();
  one.configure({ LOG_LEVEL: 'info', METRICS_PORT: String(port) });
  one.start(FULL_DISK);
  return { one, port };
};

export const logDiskFull: Scenario = {
  name: 'log-disk-full',
  about: 'the log of clazz and the gateway is on a full disk: they start, answer every request, count lines, and end',
  run: async (system, context) => {
    const kinds = await createRequestKinds(system.api, randomUUID());
    const restarted: Restarted[] = [];
    for (const one of [...system.instancesOf('clazz'), ...system.instancesOf('gateway')])
      restarted.push(await restartWithoutOutput(one));
    const joined = await Promise.all(restarted.map(({ one }) => hasJoinedWithin(one, limitFor(context, JOIN_MS))));
    const shots = await runTraffic(kinds, RATE, context.short ? SHORT_LOAD_MS : LOAD_MS);
    const failed = shots.filter((shot) => !isSuccess(shot));
    const found: string[] = [];
    let isOk = joined.every(Boolean) && failed.length === 0;
    for (const { one, port } of restarted) {
      const dropped = await droppedLines(port);
      const exit = await one.stop(limitFor(context, STOP_TIMEOUT_MS));
      await one.kill();
      one.configure({});
      isOk &&= dropped > 0 && exit?.code === 0;
      found.push(`${one.name} dropped ${dropped} lines and ended with ${exit?.signal ?? exit?.code ?? 'SIGKILL only'}`);
    }
    const started = joined.every(Boolean) ? 'all started' : 'not all started';
    const answers = `${shots.length - failed.length} of ${shots.length} requests succeeded (${failureSummary(shots)})`;
    return { ok: isOk, line: `${started}; ${answers}; ${found.join('; ')}` };
  },
};
