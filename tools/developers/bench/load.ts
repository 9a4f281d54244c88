import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';

/** One request of a load, and the handling of its answer. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  path: string;
  token: string;
  body?: unknown;
  onAnswer?: (body: string) => void;
}

/** Makes the next request of whichever connection is free. */
export type NextCall = () => Call;

export interface Outcome {
  seconds: number;
  /** Of each request, in milliseconds. */
  latencies: number[];
}

/** Milliseconds between two checks whether the time is over. */
const LOOK_MS = 20;
const isFine = (status: number): boolean => status >= 200 && status < 300;

const headersOf = ({ token, body }: Call): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
});

/** Sends requests without pause over so many connections. An answer that is no success ends it with an error. */
export const runLoad = async (
  address: string,
  next: NextCall,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Outcome> => {
  const latencies: number[] = [];
  let failure: string | undefined;
  const calls = new WeakMap<object, Call>();
  const began = performance.now();
  let ended = began;
  const { errors } = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(
      {
        url: address,
        connections,
        duration: seconds,
        sampleInt: LOOK_MS,
        timeout: 60,
        requests: [
          {
            setupRequest: (request, context) => {
              const call = next();
              calls.set(context, call);
              const { method, path, body } = call;
              const text = body === undefined ? undefined : JSON.stringify(body);
              return { ...request, method, path, headers: headersOf(call), body: text };
            },
            onResponse: (status, body, context) => {
              const call = calls.get(context);
              if (isFine(status)) call?.onAnswer?.(body);
              else failure ??= `${call?.method} ${call?.path} was answered ${status}: ${body.slice(0, 300)}`;
            },
          },
        ],
      },
      (error, result) => (error === null || error === undefined ? resolve(result) : reject(new Error(String(error)))),
    );
    run.on('response', (_client, _status, _bytes, ms) => {
      latencies.push(ms);
      ended = performance.now();
      if (failure !== undefined) run.stop();
    });
  });
  if (failure !== undefined || errors > 0) throw new Error(failure ?? `${errors} requests were not answered`);
  return { seconds: (ended - began) / 1_000, latencies };
};

/** A system that has just started answers 503 for a while: nothing was stored. */
const MOST_TRIES = 20;
const AGAIN_MS = 500;

/** Sends one request. Throws if its answer is no success. */
export const send = async (address: string, call: Call): Promise<{ body: string; headers: Headers }> => {
  const { method, path, body } = call;
  const once = (): Promise<Response> =>
    fetch(`${address}${path}`, {
      method,
      headers: headersOf(call),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  let answer = await once();
  for (let tries = 1; answer.status === 503 && tries < MOST_TRIES; tries += 1) {
    await answer.arrayBuffer();
    await sleep(AGAIN_MS);
    answer = await once();
  }
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text.slice(0, 300)}`);
  call.onAnswer?.(text);
  return { body: text, headers: answer.headers };
};

/** Requests that leave by the clock, so many a second, answered or not. */
export const sendByClock = async (
  address: string,
  next: NextCall,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Outcome> => {
  const began = performance.now();
  const latencies: number[] = [];
  const all: Promise<void>[] = [];
  for (let sent = 0; sent < perSecond * seconds; sent += 1) {
    const due = began + (sent * 1_000) / perSecond;
    if (due > performance.now()) await sleep(due - performance.now());
    const since = performance.now();
    all.push(send(address, next()).then(() => void latencies.push(performance.now() - since)));
  }
  await Promise.all(all);
  return { seconds: (performance.now() - began) / 1_000, latencies };
};
