import { checkAgreement, type Verdict } from './check-agreement.ts';
import type { Load } from './load.ts';
import { startSystem, type System, type SystemOptions } from '../system/start-system.ts';

export interface Context {
  /** Whose services are tried. */
  checkout: string;
  seed: number;
  /** How long random faults are drawn. */
  minutes: number;
  /** Makes what takes long shorter, and compares no times: for tests and a quick look. */
  short: boolean;
  say: (line: string) => void;
}

const TEST_MS = 60_000;

/** How long something may take: as promised, or, in a short story, which measures nothing, as long as a busy machine may need. */
export const limitFor = ({ short }: Pick<Context, 'short'>, promised_ms: number): number =>
  short ? Math.max(promised_ms, TEST_MS) : promised_ms;

export interface Outcome {
  ok: boolean;
  /** What was found, with figures. */
  line: string;
}

/** One story of things going wrong, and what must hold afterwards. */
export interface Scenario {
  name: string;
  about: string;
  /** What system it needs; one of each service unless said otherwise. */
  on?: Omit<SystemOptions, 'checkout'>;
  story: (system: System, context: Context) => Promise<Outcome>;
}

/** Runs a story on a system of its own, which ends with it in whatever way. */
export const playScenario = async ({ on, story }: Scenario, context: Context): Promise<Outcome> => {
  const system = await startSystem({ checkout: context.checkout, ...on });
  try {
    return await story(system, context);
  } finally {
    await system.end();
  }
};

const TOLD = /went back|epoch|dead letter|cannot be published|restored|wait in the outbox|forgotten|put aside|rebuil/i;

/** What the services' logs say about the trouble, in few words: the first line of each kind. */
export const logSummary = (system: System): string => {
  const lines = ['clazz', 'course', 'package', 'stats'].flatMap((service) => system.log(service).split('\n'));
  const messages = lines.flatMap((line) => /"msg":"([^"]*)"/.exec(line)?.[1] ?? []).filter((text) => TOLD.test(text));
  const kinds = [...new Set(messages)];
  return kinds.length === 0 ? 'the logs say nothing' : `the logs say: ${kinds.slice(0, 4).join('; ')}`;
};

const KINDS = {
  'figures differ': /: answered /,
  'audit entries lost': /^lost from the trail/,
  'phantom audit entries': /^(phantom in the trail|nobody sent)/,
  'audit entries doubled': /^doubled/,
  'acknowledged writes lost': /^acknowledged/,
  'tokens included too early': /included, but/,
  'chains broken': /chain is not well/,
  'checks failed': /could not be checked/,
};

/** How much of what is wrong, and an example of each. */
export const summary = (wrong: readonly string[]): string =>
  Object.entries(KINDS)
    .map(([name, pattern]) => [name, wrong.filter((line) => pattern.test(line))] as const)
    .filter(([, found]) => found.length > 0)
    .map(([name, found]) => `${found.length} ${name} (${found[0]})`)
    .join(', ');

export const outcomeOf = ({ wrong, ms, figures }: Verdict, load: Load, more = ''): Outcome => {
  const seconds = (ms / 1_000).toFixed(1);
  const all = `${load.record.acknowledged()} writes, ${figures} figures, ${load.included()} tokens`;
  const line =
    wrong.length === 0 ? `${all} agree after ${seconds} s` : `of ${all}: ${summary(wrong)} after ${seconds} s`;
  return { ok: wrong.length === 0, line: more === '' ? line : `${line}; ${more}` };
};

/** The check that ends most stories. */
export const checkAtEnd = async (system: System, load: Load, within?: number): Promise<Outcome> => {
  const verdict = await checkAgreement(system, load, within);
  return outcomeOf(verdict, load, logSummary(system));
};

/** Before anything goes wrong all must be well, or the story proves nothing. */
export const requireHealthy = async (system: System, load: Load): Promise<void> => {
  const { wrong } = await checkAgreement(system, load);
  if (wrong.length > 0) throw new Error(`not well even before the fault: ${summary(wrong)}`);
};
