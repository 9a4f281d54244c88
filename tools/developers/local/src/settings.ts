import { z } from 'zod';
import { dataDirFrom } from './data-dir.ts';
import type { Env } from './service-env.ts';

const MOST = 65_535;
const port = z
  .stringFormat(
    'port',
    (text) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST,
    'must be a number from 1 to 65535',
  )
  .transform(Number);
const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;
const onOff = z.stringbool({ error: 'must be on or off' }).default(true);

export const PROCESSES = ['one', 'two', 'many'] as const;
export type Processes = (typeof PROCESSES)[number];

const Schema = z.object({
  PORT: port.default(8080),
  /** This machine only by default: the demo tokens are visible on the screen. */
  HOST: z.string().default('127.0.0.1'),
  /**
   * `one`: everything in the runner's process, the least memory and the shortest ways (ADR 35). `two`: the gateway apart.
   * `many`: a process for each, as in production.
   */
  PROCESSES: z.enum(PROCESSES).default('one'),
  /** Make the demo school. */
  DEMO: onOff,
  /** Serve the console, with a provider of our own to log in at unless OIDC_ISSUER names another. */
  CONSOLE: onOff,
  /** The address that browsers open; by default the gateway's. */
  CONSOLE_URL: z.string().refine(isOrigin, 'must be an origin, e.g. http://192.168.1.5:8080').optional(),
  /** Where people log in: 1000 above PORT by default, or any free port where that is taken. */
  LOGIN_PORT: port.optional(),
  OIDC_ISSUER: z.string().optional(),
});

export type Settings = {
  port: number;
  host: string;
  processes: Processes;
  dataDir: string;
  /** Whether the demo school is made. */
  demo: boolean;
  /** Whether the console is built and served. */
  console: boolean;
  /** The origin that browsers open. */
  console_url: string;
  /** Our own login provider; `undefined` where there is another one, or no console. */
  login: { port: number; /** Said by LOGIN_PORT: no other one will do. */ fixed: boolean } | undefined;
};

/** The gateway accepts a provider at http for a console at https only on this machine. */
const isServable = (console_url: string): boolean => {
  const { protocol, hostname } = new URL(console_url);
  return protocol === 'http:' || hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
};
const HTTPS_CONSOLE =
  'is an https address, but the log-in of the local system is http. Set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET to a provider of your own, or use http, or set CONSOLE=off';

const LOGIN_ABOVE = 1_000;
const ANYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The address by which this machine reaches it. */
export const addressOf = ({ host, port: at }: Pick<Settings, 'host' | 'port'>): string => {
  const name = ANYWHERE[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${at}`;
};

const loginPort = (given: number | undefined, gateway: number): number =>
  given ?? (gateway + LOGIN_ABOVE <= MOST ? gateway + LOGIN_ABOVE : gateway - LOGIN_ABOVE);

/** Reads the runner's own settings; an empty variable counts as not set. Throws a message to show. */
export const settingsFrom = (env: Env): Settings => {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Schema.safeParse(given);
  if (!parsed.success)
    throw new Error(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
  const { PORT, HOST, PROCESSES, DEMO, CONSOLE, CONSOLE_URL, LOGIN_PORT, OIDC_ISSUER } = parsed.data;
  if (CONSOLE && OIDC_ISSUER === undefined && CONSOLE_URL !== undefined && !isServable(CONSOLE_URL))
    throw new Error(`CONSOLE_URL: ${CONSOLE_URL} ${HTTPS_CONSOLE}`);
  const login = { port: loginPort(LOGIN_PORT, PORT), fixed: LOGIN_PORT !== undefined };
  return {
    port: PORT,
    host: HOST,
    processes: PROCESSES,
    dataDir: dataDirFrom(env),
    demo: DEMO,
    console: CONSOLE,
    console_url: CONSOLE_URL ?? addressOf({ host: HOST, port: PORT }),
    login: CONSOLE && OIDC_ISSUER === undefined ? login : undefined,
  };
};
