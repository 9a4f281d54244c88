import { ConfigError } from './config-error.ts';

const MESSAGES: Readonly<Record<string, (port: string, host: string) => string>> = {
  EADDRINUSE: (port) => `${port} names a port that another program listens on: choose another`,
  EACCES: (port) => `${port} names a port that this user may not listen on: choose one above 1023`,
  EADDRNOTAVAIL: (_port, host) => `${host} names no address of this machine`,
  ENOTFOUND: (_port, host) => `${host} names no address of this machine`,
};

/**
 * Listens on the port of a variable (`PORT`, with the address in `HOST`). If that fails, the error names the variable.
 */
export const withListenError = async <T>(variable: string, listen: () => Promise<T>): Promise<T> => {
  try {
    return await listen();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const message = MESSAGES[code]?.(variable, variable.replace(/PORT$/, 'HOST'));
    throw message === undefined ? error : new ConfigError(message, { cause: error });
  }
};
