import { failureText } from './failure-text.ts';

/** A request as it was sent: its path from the root, its body before it was made bytes of. */
export interface Asked {
  method: string;
  path: string;
  body: string | Uint8Array | undefined;
}

/** What a test sees of an answer. `body` is parsed JSON, or text when it is something else. */
export interface Answer {
  asked: Asked;
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

/** What is wrong with an answer, if anything. */
export type CheckAnswer = (answer: Answer) => string | undefined;

/**
 * Sends what the test wrote, as it is. Paths are below `/api/v1` unless they begin with `//`. An answer that `check`
 * finds wrong is thrown.
 */
export const sender =
  (address: string, authorization: string | undefined, check: CheckAnswer = () => undefined): Send =>
  async (method, path, body, headers = {}) => {
    const asked = { method, path: path.startsWith('//') ? path.slice(1) : `/api/v1${path}`, body };
    const response = await fetch(address + asked.path, {
      method,
      headers: { ...(authorization === undefined ? {} : { authorization }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') === true && text !== '';
    const { status, headers: received } = response;
    const answer = { asked, status, headers: received, body: json ? JSON.parse(text) : text };
    const wrong = check(answer);
    if (wrong !== undefined) throw new Error(failureText(answer, wrong));
    return answer;
  };
