import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@teaching/local/ports.ts';
import { z } from 'zod';
import { startDebianProgram } from './debian-program.ts';
import { holdsWithin } from './poll.ts';

const RULES = fileURLToPath(new URL('../../../deploy/observability/alerts.yml', import.meta.url));
/** The scrape interval in seconds. A service that waits for an unresponsive database answers within two seconds. */
const SCRAPE_S = 2.5;
const START_MS = 60_000;
const MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** The alert rules with all durations, byte limits and compared ages divided by `factor`. */
export const acceleratedRules = (factor: number): string => {
  const shorter = (number: string, unit: string): string => `${(Number(number) * (MS[unit] ?? 1)) / factor}ms`;
  return readFileSync(RULES, 'utf8')
    .replaceAll(/(interval: |for: |\[|offset )(\d+)([smh])\b/g, (_all, before: string, number: string, unit: string) =>
      before === 'interval: ' ? 'interval: 1s' : before + shorter(number, unit),
    )
    .replaceAll(
      /((?:_age|_time|_held)\)) > (\d[\de]*)/g,
      (_all, before: string, number: string) => `${before} > ${Number(number) / factor}`,
    );
};

const Alerts = z.object({
  data: z.object({
    alerts: z.array(z.object({ state: z.string(), labels: z.object({ alertname: z.string() }).catchall(z.string()) })),
  }),
});

/** A Prometheus that scrapes real processes and evaluates the alert rules. */
export interface LivePrometheus {
  /** Labels of the alerts that fire now, as JSON text, by name of the alert. */
  firing: () => Promise<ReadonlyMap<string, string>>;
  end: () => Promise<void>;
}

const configOf = (folder: string, ports: readonly number[]): object => ({
  global: {
    scrape_interval: `${SCRAPE_S * 1_000}ms`,
    scrape_timeout: `${SCRAPE_S * 1_000}ms`,
    evaluation_interval: '1s',
  },
  rule_files: [join(folder, 'alerts.yml')],
  scrape_configs: [{ job_name: 'teaching', static_configs: [{ targets: ports.map((port) => `127.0.0.1:${port}`) }] }],
});

export const startPrometheus = async (ports: readonly number[], factor: number): Promise<LivePrometheus> => {
  const folder = mkdtempSync(join(tmpdir(), 'teaching-prometheus-'));
  writeFileSync(join(folder, 'alerts.yml'), acceleratedRules(factor));
  // JSON is valid YAML.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(configOf(folder, ports)));
  const address = `127.0.0.1:${await freePort()}`;
  const program = await startDebianProgram('prometheus', 'usr/bin/prometheus', [
    `--config.file=${folder}/prometheus.yml`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=${address}`,
  ]);
  const end = async (): Promise<void> => {
    await program.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const isReady = async (): Promise<boolean> => (await fetch(`http://${address}/-/ready`)).ok;
  if (!(await holdsWithin(isReady, START_MS))) {
    await end();
    throw new Error(`Prometheus did not start: ${program.output()}`);
  }
  return {
    firing: async () => {
      const { data } = Alerts.parse(await (await fetch(`http://${address}/api/v1/alerts`)).json());
      const firing = data.alerts.filter(({ state }) => state === 'firing');
      return new Map(firing.map(({ labels: { alertname, ...about } }) => [alertname, JSON.stringify(about)]));
    },
    end,
  };
};
