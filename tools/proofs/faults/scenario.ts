import { checkAgreement, type AgreementResult } from './check-agreement.ts';
import type { Load } from './load.ts';
import { startSystem, type System, type SystemOptions } from '../system/start-system.ts';

export interface ScenarioOptions {
  /** Folder of the checkout whose services are tested. */
  checkout: string;
  seed: number;
  /** Duration of the random faults. */
  minutes: number;
  /** Shortens long scenarios and compares no times, for tests and a quick run. */
  short: boolean;
  log: (line: string) => void;
}

const TEST_MS = 60_000;

/**
 * The time limit in ms: `promised_ms`, or at least 60 s in a short scenario, which compares no times on a busy machine.
 */
export const limitFor = ({ short }: Pick<ScenarioOptions, 'short'>, promised_ms: number): number =>
  short ? Math.max(promised_ms, TEST_MS) : promised_ms;

export interface ScenarioResult {
  ok: boolean;
  /** What the scenario found, with figures. */
  line: string;
}

/** A scenario of faults, and the checks that must hold afterwards. */
export interface Scenario {
  name: string;
  about: string;
  /** Options of the system it needs; default is one instance of each service. */
  system?: Omit<SystemOptions, 'checkout'>;
  run: (system: System, context: ScenarioOptions) => Promise<ScenarioResult>;
}

/** Runs a scenario on a system of its own, which is ended in any case. */
export const runScenario = async (
  { system: options, run }: Scenario,
  context: ScenarioOptions,
): Promise<ScenarioResult> => {
  const system = await startSystem({ checkout: context.checkout, ...options });
  try {
    return await run(system, context);
  } finally {
    await system.end();
  }
};

const RELEVANT =
  /went back|epoch|dead letter|cannot be published|restored|wait in the outbox|forgotten|put aside|rebuil/i;

/** A summary of the log messages about the fault: the first messages of different kinds. */
export const logSummary = (system: System): string => {
  const lines = ['clazz', 'course', 'package', 'stats'].flatMap((service) => system.log(service).split('\n'));
  const messages = lines
    .flatMap((line) => /"msg":"([^"]*)"/.exec(line)?.[1] ?? [])
    .filter((text) => RELEVANT.test(text));
  const kinds = [...new Set(messages)];
  return kinds.length === 0
    ? 'the logs contain no message about it'
    : `the logs contain: ${kinds.slice(0, 4).join('; ')}`;
};

const KINDS = {
  'figures differ': /: answered /,
  'audit entries lost': /^missing in the audit log/,
  'phantom audit entries': /^(phantom in the audit log|no caller sent)/,
  'audit entries duplicated': /^duplicated/,
  'acknowledged writes lost': /^acknowledged/,
  'tokens included too early': /included, but/,
  'chains broken': /chain is broken/,
  'checks failed': /the check failed/,
};

/** The number of faults of each kind, with an example. */
export const summary = (wrong: readonly string[]): string =>
  Object.entries(KINDS)
    .map(([name, pattern]) => [name, wrong.filter((line) => pattern.test(line))] as const)
    .filter(([, found]) => found.length > 0)
    .map(([name, found]) => `${found.length} ${name} (${found[0]})`)
    .join(', ');

export const resultOf = ({ differences, ms, figures }: AgreementResult, load: Load, more = ''): ScenarioResult => {
  const seconds = (ms / 1_000).toFixed(1);
  const all = `${load.record.acknowledged()} writes, ${figures} figures, ${load.included()} tokens`;
  const line =
    differences.length === 0
      ? `${all} agree after ${seconds} s`
      : `of ${all}: ${summary(differences)} after ${seconds} s`;
  return { ok: differences.length === 0, line: more === '' ? line : `${line}; ${more}` };
};

/** The final check of most scenarios. */
export const checkAtEnd = async (system: System, load: Load, within?: number): Promise<ScenarioResult> => {
  const verdict = await checkAgreement(system, load, within);
  return resultOf(verdict, load, logSummary(system));
};

/** Requires agreement before the fault, otherwise the scenario proves nothing. */
export const requireHealthy = async (system: System, load: Load): Promise<void> => {
  const { differences } = await checkAgreement(system, load);
  if (differences.length > 0) throw new Error(`the parts disagree even before the fault: ${summary(differences)}`);
};
