import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { SERVICES, type ServiceStatus, statusCalls } from '../../../../libs/contracts/src/index.ts';
import { asOperator, type Operator } from '../../operator/operator.ts';
import type { Context, Define } from '../command.ts';
import { EXIT } from '../exit.ts';
import { parseOptions, flag } from '../options.ts';
import { table } from '../table.ts';

const WATCH_MS = 2_000;

const Options = z.object({ watch: flag(), json: flag() });

/** The answer of each service; null if it did not answer. */
type Found = Record<string, ServiceStatus | null>;

const askAll = async (operator: Operator): Promise<Found> => {
  const answers = SERVICES.map(async (service) => {
    const found = await operator.ask(statusCalls(service).get, {}).catch(() => null);
    return [service, found] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
};

const isWell = ({ logs, followers }: ServiceStatus): boolean =>
  logs.every(({ trouble }) => trouble === null) &&
  followers.every(({ trouble, broken, dead_letters }) => trouble === null && !broken && dead_letters === 0);

export const areAllWell = (found: Found): boolean => Object.values(found).every((one) => one !== null && isWell(one));

const show = (found: Found): string => {
  const rows = Object.entries(found).flatMap(([service, status]) => {
    if (status === null) return [[service, '', 'does not answer', '', '', '']];
    const logs = status.logs.map(({ log, epoch, no, published_no, trouble }) => [
      service,
      `log ${log}`,
      `${epoch}/${no}`,
      published_no === null ? 'not published' : `published ${published_no}`,
      '',
      trouble ?? '',
    ]);
    const followers = status.followers.map(({ follower, log, epoch, no, broken, dead_letters, trouble }) => [
      service,
      `${follower} in ${log}`,
      `${epoch}/${no}`,
      broken ? 'the source was restored' : '',
      dead_letters === 0 ? '' : `${dead_letters} dead letters`,
      trouble ?? '',
    ]);
    return [...logs, ...followers];
  });
  return table(['service', 'what', 'offset', '', '', 'blocked by'], rows);
};

const work = async (operator: Operator, { watch, json }: z.output<typeof Options>, context: Context): Promise<void> => {
  const stop = watch ? context.interruptible('') : undefined;
  for (;;) {
    const found = await askAll(operator);
    context.print(json ? JSON.stringify(found) : show(found));
    if (stop === undefined) return areAllWell(found) ? undefined : context.notWell();
    await pause(WATCH_MS, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return;
  }
};

export const define: Define = (command, context) => {
  command
    .option('--watch', `repeat every ${WATCH_MS / 1_000} seconds, until Ctrl-C`)
    .option('--json', 'one line of JSON each time')
    .addHelpText(
      'after',
      `
Newest number of each log, the last published one, the offset of each follower, dead letters, and blocked events.
Asks the local system, or the bus that NATS_URL and NATS_ADMIN_PASSWORD name. A service that does not answer is not well
(code ${EXIT.notWell}).

Examples:
  teaching status --watch
  teaching status --json | jq .clazz.followers`,
    )
    .action((given: unknown) => {
      const options = parseOptions(Options, given);
      return asOperator('status', context.env, (operator) => work(operator, options, context));
    });
};
