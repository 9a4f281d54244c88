import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { z } from 'zod';
import type { Finding } from './findings.ts';
import type { Configs, Installation } from './installation.ts';

const ASK_MS = 2_000;
/** The health report of a process of this system. */
const Alive = z.object({ status: z.literal('ok') });
const MEGABYTE = 1_000_000;

/** An address where a process listens, and its variable. */
interface Place {
  process: string;
  variable: string;
  host: string;
  port: number;
}

const placesOf = ({ gateway, services }: Configs): Place[] => [
  ...(gateway === undefined ? [] : [{ process: 'gateway', variable: 'PORT', host: gateway.HOST, port: gateway.PORT }]),
  ...services.map(({ name, config }) => ({
    process: name,
    variable: 'HEALTH_PORT',
    host: config.HEALTH_HOST,
    port: config.HEALTH_PORT,
  })),
];

/** Why the address cannot be used, as a code of the system; undefined if it can. */
const whyNot = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'EUNKNOWN'));
    server.listen({ host, port }, () => server.close(() => resolve(undefined)));
  });

/** Whether a process of this system already listens there. */
const isOurs = async (host: string, port: number): Promise<boolean> => {
  const reached = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  try {
    const answer = await fetch(`http://${reached}:${port}/health/live`, { signal: AbortSignal.timeout(ASK_MS) });
    return Alive.safeParse(await answer.json()).success;
  } catch {
    return false;
  }
};

const portOf = async ({ process, variable, host, port }: Place): Promise<Finding[]> => {
  if (port === 0) return [];
  const code = await whyNot(host, port);
  if (code === undefined || (code === 'EADDRINUSE' && (await isOurs(host, port)))) return [];
  const wrong =
    code === 'EADDRINUSE'
      ? `another program listens on port ${port} (${variable})`
      : `cannot listen on ${host}:${port} (${variable}): ${code}`;
  return [
    {
      check: 'port',
      about: [process],
      wrong,
      mend: `change ${variable} of ${process}, or end the other program`,
    },
  ];
};

const diskOf = async (folder: string, least: number): Promise<Finding[]> => {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= least) return [];
  const [has, wants] = [free, least].map((bytes) => `${Math.floor(bytes / MEGABYTE)} MB`);
  return [
    {
      check: 'disk',
      about: ['machine'],
      wrong: `the disk of ${folder} has ${has} left, less than ${wants}`,
      mend: 'free space there, or enlarge the disk',
    },
  ];
};

/** What processes need of this machine, if they run here. */
export const machine = async (configs: Configs, { isHere, folders, leastFree }: Installation): Promise<Finding[]> => {
  if (!isHere) return [];
  const looks = [...placesOf(configs).map(portOf), ...folders.map((folder) => diskOf(folder, leastFree))];
  return (await Promise.all(looks)).flat();
};
