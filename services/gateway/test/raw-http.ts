import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection on which what comes is kept, until it ends or breaks. */
export interface RawConnection {
  socket: Socket;
  /** All that came so far. */
  text: () => string;
  /** Resolves when it is closed. */
  ended: Promise<unknown[]>;
}

export const openRawConnection = async (address: string): Promise<RawConnection> => {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  // A connection that is cut may end by a reset.
  socket.on('error', () => {});
  const ended = new Promise<unknown[]>((resolve) => {
    socket.once('close', (...args) => resolve(args));
  });
  await once(socket, 'connect');
  return { socket, text: () => text, ended };
};

/** The head of a request. */
export const headOf = (line: string, ...headers: string[]): string =>
  `${[`${line} HTTP/1.1`, 'host: here', ...headers].join('\r\n')}\r\n\r\n`;

/** The status of the first answer on a line, once it is there. */
export const statusOn = async ({ socket, text, ended }: RawConnection): Promise<number> => {
  while (!text().includes('\r\n\r\n')) await Promise.race([once(socket, 'data'), ended]);
  return Number(text().split(' ')[1]);
};

/** The statuses of all answers to these bytes (each character is one), until the server ends the connection. */
export const statusesOn = async (address: string, bytes: string): Promise<number[]> => {
  const line = await openRawConnection(address);
  line.socket.write(Buffer.from(bytes, 'latin1'));
  await line.ended;
  return [...line.text().matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
};
