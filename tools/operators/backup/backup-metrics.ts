import { createServer, type Server } from 'node:http';
import { DUTIES, type State } from './keeper.ts';

/** Name and help text of a metric, and its values by labels; no value while it is unknown. */
type Figure = readonly [
  name: string,
  about: string,
  values: readonly (readonly [labels: string, value: number | undefined])[],
];

const age = (now: Date, at: Date | undefined): number | undefined =>
  at === undefined ? undefined : Math.max(0, (now.getTime() - at.getTime()) / 1_000);

const figuresOf = ({ since, base, verified_at, until, held, room, trouble }: State, now: Date): Figure[] => [
  ['teaching_backup_age', 'Seconds without a new base backup', [['', age(now, base?.finished_at ?? since)]]],
  ['teaching_backup_bytes', 'Bytes of the last base backup', [['', base?.bytes]]],
  ['teaching_backup_count', 'Number of base backups', [['', base?.count ?? 0]]],
  ['teaching_backup_verified_age', 'Seconds since the last base backup was verified', [['', age(now, verified_at)]]],
  ['teaching_backup_log_age', 'Seconds for which the archive may lack commits', [['', age(now, until ?? since)]]],
  ['teaching_backup_log_held', 'Bytes of the log that the server keeps for the archive', [['', held]]],
  ['teaching_backup_room_free', "Free bytes on the archive's disk", [['', room?.free]]],
  ['teaching_backup_room_size', "Bytes of the archive's disk", [['', room?.size]]],
  [
    'teaching_backup_trouble',
    '1 while something keeps a part of the backup from its work',
    DUTIES.map((duty) => [`{duty="${duty}"}`, Number(trouble.has(duty))]),
  ],
];

/** All metrics in the text format of Prometheus. */
export const metricsText = (state: State, now: Date): string =>
  figuresOf(state, now)
    .flatMap(([name, about, values]) => [
      `# HELP ${name} ${about}`,
      `# TYPE ${name} gauge`,
      ...values.flatMap(([labels, value]) => (value === undefined ? [] : [`${name}${labels} ${value}`])),
    ])
    .join('\n')
    .concat('\n');

/** Serves the metrics on a port of their own, and the health of the backup at `/health/ready`. */
export const serveMetrics = (port: number, state: () => State): Server =>
  createServer((request, response) => {
    const { trouble } = state();
    if (request.url === '/metrics')
      response.setHeader('content-type', 'text/plain; version=0.0.4').end(metricsText(state(), new Date()));
    else if (request.url === '/health/ready')
      response.writeHead(trouble.size === 0 ? 200 : 503).end(JSON.stringify(Object.fromEntries(trouble)));
    else response.writeHead(404).end();
  }).listen(port);
