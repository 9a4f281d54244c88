/** What a test sees of an answer. `body` is parsed JSON, or text when it is something else. */
export interface Answer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line no-explicit-any -- tests look at whatever came
  body: any;
}

type Headers_ = Readonly<Record<string, string>>;

export interface Api {
  get(path: string, headers?: Headers_): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Headers_): Promise<Answer>;
  put(path: string, body?: unknown, headers?: Headers_): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: Headers_): Promise<Answer>;
  delete(path: string, headers?: Headers_): Promise<Answer>;
  send(
    method: string,
    path: string,
    body: string | Uint8Array<ArrayBuffer> | undefined,
    headers?: Headers_,
  ): Promise<Answer>;
}

/** A plain HTTP caller: what goes over the wire is what the test wrote. Paths are below `/api/v1` unless they begin with `//`. */
export const createApi = (address: string, authorization: string | undefined): Api => {
  const send: Api['send'] = async (method, path, body, headers = {}) => {
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
  const withJson =
    (method: string) =>
    (path: string, body?: unknown, headers: Headers_ = {}) =>
      body === undefined
        ? send(method, path, undefined, headers)
        : send(method, path, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
  return {
    get: (path, headers) => send('GET', path, undefined, headers),
    post: withJson('POST'),
    put: withJson('PUT'),
    patch: withJson('PATCH'),
    delete: (path, headers) => send('DELETE', path, undefined, headers),
    send,
  };
};
