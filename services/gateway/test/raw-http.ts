import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection that collects the received bytes until it ends or breaks. */
export interface RawConnection {
  socket: Socket;
  /** The bytes received so far. */
  text: () => string;
  /** Resolves when the connection is closed. */
  ended: Promise<unknown[]>;
}

export const openRawConnection = async (address: string): Promise<RawConnection> => {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  // A closed connection may end with a reset.
  socket.on('error', () => {});
  const ended = new Promise<unknown[]>((resolve) => {
    socket.once('close', (...args) => resolve(args));
  });
  await once(socket, 'connect');
  return { socket, text: () => text, ended };
};

/** The head of a request. */
export const requestHead = (line: string, ...headers: string[]): string =>
  `${[`${line} HTTP/1.1`, 'host: here', ...headers].join('\r\n')}\r\n\r\n`;

/** The status of the first response on a connection, once it has arrived. */
export const firstStatus = async ({ socket, text, ended }: RawConnection): Promise<number> => {
  while (!text().includes('\r\n\r\n')) await Promise.race([once(socket, 'data'), ended]);
  return Number(text().split(' ')[1]);
};

/** The statuses of all responses to these bytes (each character is one), until the server ends the connection. */
export const responseStatuses = async (address: string, bytes: string): Promise<number[]> => {
  const line = await openRawConnection(address);
  line.socket.write(Buffer.from(bytes, 'latin1'));
  await line.ended;
  return [...line.text().matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
};
