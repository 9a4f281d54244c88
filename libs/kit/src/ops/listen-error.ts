import { ConfigError } from './config-error.ts';

const whyNot: Readonly<Record<string, (port: string, host: string) => string>> = {
  EADDRINUSE: (port) => `${port} names a port that another program listens on: choose another`,
  EACCES: (port) => `${port} names a port that this user may not listen on: choose one above 1023`,
  EADDRNOTAVAIL: (_port, host) => `${host} names no address of this machine`,
  ENOTFOUND: (_port, host) => `${host} names no address of this machine`,
};

/** Listens at the port that a variable names (`PORT`, beside it `HOST`); when that cannot be, the error names it. */
export const withListenError = async <T>(variable: string, listen: () => Promise<T>): Promise<T> => {
  try {
    return await listen();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const why = whyNot[code]?.(variable, variable.replace(/PORT$/, 'HOST'));
    throw why === undefined ? error : new ConfigError(why, { cause: error });
  }
};
