import { createServer } from 'node:net';

const whyNot = ({ code, message }: NodeJS.ErrnoException, port: number): string => {
  const another = `Choose another, for example: PORT=${port < 65_535 ? port + 1 : 8080} npm start`;
  if (code === 'EADDRINUSE') return `is taken. ${another}`;
  if (code === 'EACCES') return `needs more rights than this user has. ${another}`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return 'cannot be used: HOST is not an address of this machine.';
  return `cannot be used: ${message}`;
};

/** Why a server could not listen on this address, as a message to show; nothing if it could. */
export const portProblem = (port: number, host: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(`Port ${port} on ${host} ${whyNot(error, port)}`));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });

/** A port that was free on the loopback address a moment ago. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ port: 0, host: '127.0.0.1' }, () => {
      const address = probe.address();
      probe.close(() =>
        address !== null && typeof address === 'object'
          ? resolve(address.port)
          : reject(new Error('The system gave no port')),
      );
    });
  });
