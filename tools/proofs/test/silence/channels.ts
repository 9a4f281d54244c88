import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Collector, startCollector } from '../../../../libs/kit/test/otlp-collector.ts';
import type { Env } from '../../../../libs/kit/src/index.ts';
import { inject } from 'vitest';
import type { Fixture } from '../fixture.ts';
import type { Answer } from '../http.ts';
import { onLogLine } from '../log-lines.ts';

/** Everything that a system says beside what it answers, as text. */
export interface RecordedOutput {
  /** The environment in which services say all they can. */
  env: Env;
  logs: string[];
  problems: string[];
  telemetry: string[];
  /** Hears an answer. */
  answered(answer: Answer): void;
  /** What Postgres, the broker and its streams hold by now. */
  servers(fixture: Fixture): { postgres: string; broker: string; streams: string };
  stop(): void;
}

/** Every file below a folder, byte by byte. */
const contentsOfFiles = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

/** Begins to listen; to be called before the services start. */
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
  // The SDK reads them there; this process ends with the file.
  Object.assign(process.env, standard);
  const logs: string[] = [];
  const problems: string[] = [];
  onLogLine((line) => logs.push(line));
  return {
    env: { ...standard, LOG_LEVEL: 'trace' },
    logs,
    problems,
    telemetry: collector.raw,
    answered: ({ status, headers, body }) => {
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
