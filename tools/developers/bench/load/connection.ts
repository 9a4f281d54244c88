import { Client, type Dispatcher } from 'undici';

export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  path: string;
  token: string;
  body?: unknown;
  /** Of an earlier write: the answer is to tell whether it is included. */
  after?: string;
}

export interface Answer {
  /** The consistency token of a write. */
  written: string;
  text: () => string;
}

type Settle = { resolve: (answer: Answer) => void; reject: (error: Error) => void };

const headersOf = ({ token, body, after }: Request): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  ...(after === undefined ? {} : { 'x-consistency-token': after }),
});

const oneOf = (header: string | string[] | undefined): string =>
  Array.isArray(header) ? header.join() : (header ?? '');

/** Takes one answer with the least work: bytes become text only when somebody wants it. Only 2xx is an answer. */
const receiver = ({ method, path }: Request, { resolve, reject }: Settle): Dispatcher.DispatchHandler => {
  const chunks: Buffer[] = [];
  const text = (): string => Buffer.concat(chunks).toString();
  let status = 0;
  let written = '';
  return {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, statusCode, headers) => {
      status = statusCode;
      written = oneOf(headers['x-consistency-token']);
    },
    onResponseData: (_controller, chunk) => void chunks.push(chunk),
    onResponseEnd: () => {
      if (status >= 200 && status < 300) resolve({ written, text });
      else reject(new Error(`${method} ${path} was answered ${status}: ${text().slice(0, 300)}`));
    },
    onResponseError: (_controller, error) => reject(error),
  };
};

/** One HTTP/1.1 connection that stays open and carries one request at a time, like a client's. */
export class Connection {
  readonly #client: Client;

  constructor(address: string) {
    this.#client = new Client(address, { pipelining: 1, keepAliveTimeout: 600_000, headersTimeout: 60_000 });
  }

  send(request: Request): Promise<Answer> {
    const { method, path, body } = request;
    return new Promise((resolve, reject) => {
      this.#client.dispatch(
        { method, path, headers: headersOf(request), body: body === undefined ? null : JSON.stringify(body) },
        receiver(request, { resolve, reject }),
      );
    });
  }

  async json(request: Request): Promise<unknown> {
    return JSON.parse((await this.send(request)).text());
  }

  close(): Promise<void> {
    return this.#client.destroy();
  }
}
