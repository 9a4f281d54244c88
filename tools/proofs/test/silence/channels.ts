import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Collector, startCollector } from '../../../../libs/kit/test/otlp-collector.ts';
import type { Env } from '../../../../libs/kit/src/index.ts';
import { inject } from 'vitest';
import type { Fixture } from '../fixture.ts';
import type { Answer } from '../http.ts';
import { onLogLine } from '../log-lines.ts';

/** The output of a system besides its answers, as text. */
export interface RecordedOutput {
  /** Environment in which services log and export as much as possible. */
  env: Env;
  logs: string[];
  problems: string[];
  telemetry: string[];
  /** Records an answer. */
  recordAnswer(answer: Answer): void;
  /** Current content of the logs of Postgres and broker, and of the streams. */
  servers(fixture: Fixture): { postgres: string; broker: string; streams: string };
  stop(): void;
}

/** The content of all files below a folder. */
const contentsOfFiles = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

/** Starts recording. Must be called before the services start. */
export const recordOutput = async (): Promise<RecordedOutput> => {
  const collector: Collector = await startCollector();
  const standard = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_METRIC_EXPORT_INTERVAL: '300',
    OTEL_METRIC_EXPORT_TIMEOUT: '300',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_BSP_MAX_QUEUE_SIZE: '100000',
  };
  // The SDK reads them from the environment of this process, which ends with the test file.
  Object.assign(process.env, standard);
  const logs: string[] = [];
  const problems: string[] = [];
  onLogLine((line) => logs.push(line));
  return {
    env: { ...standard, LOG_LEVEL: 'trace' },
    logs,
    problems,
    telemetry: collector.raw,
    recordAnswer: ({ status, headers, body }) => {
      if (status >= 400) problems.push(JSON.stringify([body, [...headers]]));
    },
    servers: (fixture) => ({
      postgres: readFileSync(inject('postgres_log'), 'utf8'),
      broker: readFileSync(join(dirname(fixture.nats.store), 'nats.log'), 'utf8'),
      streams: contentsOfFiles(fixture.nats.store),
    }),
    stop: () => collector.stop(),
  };
};
