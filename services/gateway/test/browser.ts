interface Kept {
  value: string;
  path: string;
  attributes: string;
}

/** Behaves like a browser: stores cookies, sends them to the right host, follows redirects. */
export interface TestBrowser {
  /** Requests a path of the console without following redirects. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a request like a page of the console, with its `Origin`. */
  post(path: string): Promise<Response>;
  /** Opens a page and follows redirects; returns the final URL. */
  open(path: string): Promise<string>;
  /** Cookies of the console by name. */
  cookies: Map<string, Kept>;
}

const MOST_STEPS = 12;

/** A browser that opens the gateway at `address` as `origin`. */
export const createBrowser = (address: string, origin: string): TestBrowser => {
  const jars = new Map<string, Map<string, Kept>>();
  const jarOf = (host: string): Map<string, Kept> => {
    const jar = jars.get(host) ?? new Map<string, Kept>();
    jars.set(host, jar);
    return jar;
  };
  const keep = (jar: Map<string, Kept>, line: string): void => {
    const [pair = '', ...rest] = line.split('; ');
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    const path = rest.find((one) => one.toLowerCase().startsWith('path='))?.slice(5) ?? '/';
    // Browsers refuse a `__Host-` cookie without these attributes (RFC 6265bis §4.1.3.2).
    const isOfHost = path === '/' && rest.includes('Secure') && !rest.some((one) => /^domain=/i.test(one));
    if (name.startsWith('__Host-') && !isOfHost) throw new Error(`a browser refuses the cookie ${line}`);
    const isOver = rest.includes('Max-Age=0') || rest.some((one) => /^expires=Thu, 01 Jan 1970/i.test(one));
    if (isOver) jar.delete(name);
    else jar.set(name, { value, path, attributes: rest.join('; ') });
  };
  const send = async (url: URL, init: RequestInit = {}): Promise<Response> => {
    const jar = jarOf(url.origin);
    const mine = [...jar].filter(
      ([, { path }]) => url.pathname === path || url.pathname.startsWith(path.replace(/\/?$/, '/')),
    );
    const headers = new Headers(init.headers);
    if (mine.length > 0) headers.set('cookie', mine.map(([name, { value }]) => `${name}=${value}`).join('; '));
    const real = url.origin === origin ? new URL(url.pathname + url.search, address) : url;
    const answer = await fetch(real, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) keep(jar, line);
    return answer;
  };
  const ask: TestBrowser['ask'] = (path, init) => send(new URL(path, origin), init);
  return {
    ask,
    post: (path) => ask(path, { method: 'POST', headers: { origin } }),
    open: async (path) => {
      let url = new URL(path, origin);
      for (let step = 0; step < MOST_STEPS; step += 1) {
        const answer = await send(url, { headers: { accept: 'text/html' } });
        const location = answer.headers.get('location');
        await answer.body?.cancel();
        if (location === null) return url.origin === origin ? url.href.slice(origin.length) : url.href;
        url = new URL(location, url);
        // A redirect to the console ends the login.
        if (url.origin === origin && !url.pathname.startsWith('/auth/')) return url.href.slice(origin.length);
      }
      throw new Error(`${path} redirects without end`);
    },
    cookies: jarOf(origin),
  };
};
