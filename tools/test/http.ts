/** What a test sees of an answer. `body` is parsed JSON, or text when it is something else. */
export interface Answer {
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

/** Sends what the test wrote, as it is. Paths are below `/api/v1` unless they begin with `//`. */
export const sender =
  (address: string, authorization: string | undefined): Send =>
  async (method, path, body, headers = {}) => {
    const url = path.startsWith('//') ? address + path.slice(1) : `${address}/api/v1${path}`;
    const response = await fetch(url, {
      method,
      headers: { ...(authorization === undefined ? {} : { authorization }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') === true && text !== '';
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  };
