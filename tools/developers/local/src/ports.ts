import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const whyNot = ({ code, message }: NodeJS.ErrnoException, port: number, variable: string): string => {
  const another = `Choose another, for example: ${variable}=${port < 65_535 ? port + 1 : 8080} npm start`;
  if (code === 'EADDRINUSE') return `is taken. ${another}`;
  if (code === 'EACCES') return `needs more rights than this user has. ${another}`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return 'cannot be used: HOST is not an address of this machine.';
  return `cannot be used: ${message}`;
};

/** Why a server could not listen on this address, as a message to show; nothing if it could. */
export const portProblem = (port: number, host: string, variable = 'PORT'): Promise<string | undefined> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(`Port ${port} on ${host} ${whyNot(error, port, variable)}`));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });

/** Below the ports that connections are made from: one of these would take a free one before a server does, or while it starts again. */
const [LOWEST, HIGHEST] = [20_000, 32_000];
const TRIES = 100;

/** A port that was free on the loopback address a moment ago. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if ((await portProblem(port, '127.0.0.1')) === undefined) return port;
  }
  throw new Error(`No port from ${LOWEST} to ${HIGHEST} is free`);
};
