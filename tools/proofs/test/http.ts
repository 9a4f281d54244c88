import { failureText } from './failure-text.ts';

/** A sent request: its path from the root, and its body before encoding. */
export interface SentRequest {
  method: string;
  path: string;
  body: string | Uint8Array | undefined;
}

/** An answer as tests see it. `body` is parsed JSON, or text for other content types. */
export interface Answer {
  request: SentRequest;
  status: number;
  headers: Headers;
  body: unknown;
}

export type HeaderValues = Readonly<Record<string, string>>;
export type Send = (
  method: string,
  path: string,
  body: string | Uint8Array<ArrayBuffer> | undefined,
  headers?: HeaderValues,
) => Promise<Answer>;

/** Returns the fault of an answer, or `undefined`. */
export type CheckAnswer = (answer: Answer) => string | undefined;

/**
 * Returns a function that sends requests unchanged. Paths are below `/api/v1` unless they begin with `//`. It throws
 * when `check` returns a fault of the answer.
 */
export const sender =
  (address: string, authorization: string | undefined, check: CheckAnswer = () => undefined): Send =>
  async (method, path, body, headers = {}) => {
    const request = { method, path: path.startsWith('//') ? path.slice(1) : `/api/v1${path}`, body };
    const response = await fetch(address + request.path, {
      method,
      headers: { ...(authorization === undefined ? {} : { authorization }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') === true && text !== '';
    const { status, headers: received } = response;
    const answer = { request, status, headers: received, body: json ? JSON.parse(text) : text };
    const fault = check(answer);
    if (fault !== undefined) throw new Error(failureText(answer, fault));
    return answer;
  };
