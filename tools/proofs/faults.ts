import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { nemesis } from './faults/nemesis.ts';
import { type ScenarioResult, runScenario, type Scenario } from './faults/scenario.ts';
import { SCENARIOS } from './faults/scenarios/scenario-list.ts';
import { endAll, OWN_CHECKOUT } from './system/start-system.ts';
import { printLine } from '@teaching/local/console-output.ts';

const ALL: readonly Scenario[] = [...SCENARIOS, nemesis];
const USAGE = `Usage: npm run test:faults [-- --minutes <n>] [--seed <n>] [--checkout <folder>] [--only <name>] [--short]

Injects every known fault into a system of its own, then checks whether sources, statistics and the audit log agree
with each other and with the answers that callers received. The services run as separate processes and are used only
over HTTP, so the services of another checkout can be tested as well.
  --minutes   duration of the random faults in minutes (5; 0: only the named scenarios)
  --seed      seed of the random faults; printed at the start, the same seed draws the same faults
  --checkout  folder of the checkout whose services are tested (this one)
  --only      one or several of these scenarios, separated by commas:
${ALL.map(({ name, about }) => `    ${name.padEnd(24)}${about}`).join('\n')}
  --short     shortens long scenarios and compares no times
Exit code: 0 all scenarios passed, 1 a scenario failed, 2 wrong arguments.`;

const OPTIONS = {
  minutes: { type: 'string', default: '5' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  checkout: { type: 'string', default: OWN_CHECKOUT },
  only: { type: 'string' },
  short: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const attempt = async (work: () => Promise<ScenarioResult>): Promise<ScenarioResult> => {
  try {
    return await work();
  } catch (error) {
    return { ok: false, line: error instanceof Error ? error.message : String(error) };
  }
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: OPTIONS });
  const { only, short } = values;
  const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
  const names = only?.split(',');
  const isUnknown = names?.some((name) => !ALL.some((scenario) => scenario.name === name)) ?? false;
  const chosen = ALL.filter((scenario) => names?.includes(scenario.name) ?? (minutes > 0 || scenario !== nemesis));
  if (values.help || isUnknown || !Number.isInteger(seed) || Number.isNaN(minutes)) {
    printLine(USAGE);
    return values.help ? 0 : 2;
  }
  printLine(`seed ${seed}`);
  let failed = 0;
  for (const scenario of chosen) {
    const begun = Date.now();
    const context = { checkout: resolve(values.checkout), seed, minutes, short, log: printLine };
    const { ok, line } = await attempt(() => runScenario(scenario, context));
    if (!ok) failed += 1;
    printLine(`${ok ? 'PASS' : 'FAIL'} ${scenario.name} (${Math.round((Date.now() - begun) / 1_000)} s): ${line}`);
  }
  return failed === 0 ? 0 : 1;
};

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => void endAll().finally(() => process.exit(130)));
}
try {
  process.exitCode = await main();
} finally {
  await endAll();
}
