import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SERVICES, type ServiceStatus, statusCalls } from '../libs/contracts/src/index.ts';
import { connectOperator, type Operator } from '@teaching/local/internal-call.ts';
import { table } from './dead-letters/table.ts';

const USAGE = `Usage: npm run -s status [-- --watch] [--json]

How every service's log and followers stand: newest number, what the stream has of it, how far each follower is,
dead letters, and what stands in the way. Asks the local system, or the bus that NATS_URL and
NATS_ADMIN_PASSWORD name.
Exit code: 0 all is well, 1 something stands in the way, 3 a service could not be asked.`;

const WATCH_MS = 2_000;

type Found = Record<string, ServiceStatus | null>;

const look = async (operator: Operator): Promise<Found> => {
  const answers = SERVICES.map(async (service) => {
    const found = await operator.ask(statusCalls(service).get, {}).catch(() => null);
    return [service, found] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
};

const isWell = ({ logs, followers }: ServiceStatus): boolean =>
  logs.every(({ trouble }) => trouble === null) &&
  followers.every(({ trouble, broken, dead_letters }) => trouble === null && !broken && dead_letters === 0);

const codeOf = (found: Found): number => {
  const all = Object.values(found);
  if (all.includes(null)) return 3;
  return all.every((one) => one !== null && isWell(one)) ? 0 : 1;
};

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
      broken ? 'the source went back' : '',
      dead_letters === 0 ? '' : `${dead_letters} dead letters`,
      trouble ?? '',
    ]);
    return [...logs, ...followers];
  });
  return table(['service', 'what', 'place', '', '', 'in the way'], rows);
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: { watch: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const operator = await connectOperator('status', process.env);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  try {
    for (;;) {
      const found = await look(operator);
      console.log(values.json ? JSON.stringify(found) : show(found));
      if (!values.watch || stop.signal.aborted) return codeOf(found);
      await pause(WATCH_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
  } finally {
    await operator.close();
  }
};

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 3;
});
