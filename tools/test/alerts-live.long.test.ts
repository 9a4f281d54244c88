import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { freePort } from '@teaching/local/ports.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joined } from '../faults/health.ts';
import { type LivePrometheus, startPrometheus } from '../faults/live-prometheus.ts';
import { cure, grant, poison } from '../faults/poison.ts';
import { must, pause, poll } from '../faults/poll.ts';
import { OWN_CHECKOUT, startSystem, type System } from '../faults/system.ts';

// Each alert is made to fire by what it is about, in real processes that a real Prometheus asks. All times of the rules are a
// twentieth of what they are.
const FACTOR = 20;
const FIRES_MS = 90_000;
/** The longest window that must be clean again is half an hour. */
const SILENT_MS = (30 * 60_000) / FACTOR + 60_000;

const rules = readFileSync(fileURLToPath(new URL('../../deploy/observability/alerts.yml', import.meta.url)), 'utf8');
const ALERTS = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

let system: System;
let prometheus: LivePrometheus;
let issuer: Server;
let issuerPort = 0;
const begun = Date.now();
const told: string[] = [];
const seen = new Set<string>();
const metricsPorts = new Map<string, string>();
const after = (): string => `${((Date.now() - begun) / 1_000).toFixed(0).padStart(4)} s`;
const org = randomUUID();

const listen = async (jwks: string): Promise<void> => {
  issuer = createServer((_request, response) => response.setHeader('content-type', 'application/json').end(jwks));
  await new Promise<void>((done) => issuer.listen(issuerPort, '127.0.0.1', done));
};
const close = async (server: Server | undefined): Promise<void> => {
  server?.closeAllConnections();
  await new Promise((done) => (server === undefined ? done(undefined) : server.close(done)));
};

/** Callers that ask until they are told to stop, and for a while not who has no time. */
const callers = (count: number, path: string): (() => Promise<void>) => {
  const stopping = new AbortController();
  const ask = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const { status } = await system.api({ path, org, as: 'TEACHER', sub: 'ada' });
      await pause(status === 503 ? 5_000 : 100);
    }
  };
  const asking = Array.from({ length: count }, ask);
  return async () => {
    stopping.abort();
    await Promise.all(asking);
  };
};
let stopVisitors = async (): Promise<void> => {};

const createClazz = async (): Promise<void> => {
  const body = { name: randomUUID(), lead_teacher_id: 'lee' };
  const done = async () => (await system.api({ method: 'POST', path: '/clazz', org, body })).status === 201;
  await must('a class is made', done, 30_000);
};

const haveFired = async (alerts: readonly string[]): Promise<boolean> => {
  for (const name of await prometheus.firing()) {
    if (!seen.has(name)) told.push(`${after()}  ${name} fires`);
    seen.add(name);
  }
  return alerts.every((name) => seen.has(name));
};

const isSilent = (alerts: readonly string[], firing: ReadonlySet<string>): boolean =>
  alerts.every((name) => !firing.has(name));

const allReady = async (): Promise<void> => {
  const isThere = await Promise.all(system.instances.map((one) => joined(one, 60_000)));
  expect(isThere).not.toContain(false);
  await must('the system is ready', system.allReady, 60_000);
};

beforeAll(async () => {
  system = await startSystem({
    checkout: OWN_CHECKOUT,
    instances: { course: 2 },
    env: { CONCURRENCY: '4', JWKS_REFRESH_SECONDS: '1', JWKS_MAX_STALE: '86400' },
  });
  const [gateway] = system.of('gateway');
  issuerPort = await freePort();
  await listen(readFileSync(gateway?.env['JWKS_FILE'] ?? '', 'utf8'));
  await Promise.all(system.instances.map((one) => one.kill()));
  // What somebody forgot to shut: a second database that looks like the first.
  await system.postgres.sql(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = 'teaching' and pid <> pg_backend_pid()`);
  await system.postgres.sql('create database twin template teaching');
  const ports: number[] = [];
  for (const one of system.instances) {
    const port = await freePort();
    ports.push(port);
    metricsPorts.set(one.name, String(port));
    const keys = { JWKS_FILE: '', JWKS_URL: `http://127.0.0.1:${issuerPort}/` };
    one.configure({ METRICS_PORT: String(port), ...(one.service === 'gateway' ? keys : {}) });
    one.start();
  }
  await allReady();
  prometheus = await startPrometheus(ports, FACTOR);
  stopVisitors = callers(4, '/clazz/course-package/list/my?limit=1');
  await createClazz();
  // From now on the keys of the issuer cannot be read.
  await close(issuer);
}, 240_000);

afterAll(async () => {
  console.log(told.join('\n'));
  await stopVisitors();
  await prometheus?.end();
  await system?.end();
  await close(issuer).catch(() => undefined);
}, 60_000);

interface Fault {
  about: string;
  alerts: readonly string[];
  /** Answers how it is mended. */
  strike: () => Promise<() => Promise<unknown>>;
}

const FAULTS: readonly Fault[] = [
  {
    about: 'somebody has locked a table that many ask for',
    alerts: ['CallsShed', 'SlowBurnFast', 'ErrorsBurnFast', 'ErrorsBurnSlowly'],
    strike: async () => {
      const release = await system.postgres.hold('lock table package.course_package in access exclusive mode');
      const stop = callers(60, '/clazz/course-package/list/my?limit=1');
      return async () => {
        await release();
        await stop();
      };
    },
  },
  {
    about: 'somebody has locked a table of the log',
    alerts: ['PoolExhausted'],
    strike: () => system.postgres.hold('lock table course.log_head in access exclusive mode'),
  },
  {
    about: 'Postgres stands still',
    alerts: ['DatabaseSilent', 'NoLeader'],
    strike: async () => {
      system.postgres.freeze();
      return async () => {
        system.postgres.thaw();
        await allReady();
      };
    },
  },
  {
    about: 'a process is gone',
    alerts: ['InstanceDown', 'ServiceGone'],
    strike: async () => {
      const [one] = system.of('package');
      await one?.kill();
      return async () => {
        one?.start();
        await allReady();
      };
    },
  },
  {
    about: 'somebody holds the head of a log',
    alerts: ['LogNotNumbered'],
    strike: async () => {
      const release = await system.postgres.hold('select from clazz.log_head for update');
      await createClazz();
      return release;
    },
  },
  {
    about: 'the broker is gone before an event is published',
    alerts: ['BusLost', 'LogNotPublished'],
    strike: async () => {
      const release = await system.postgres.hold('select from clazz.log_head for update');
      await createClazz();
      await system.nats.kill();
      await release();
      return async () => {
        await system.nats.start();
        await allReady();
      };
    },
  },
  {
    about: 'somebody takes a right of the statistics away',
    alerts: ['FollowerInTrouble', 'FollowerBehind'],
    strike: async () => {
      await system.postgres.sql('revoke insert on stats.clazz from stats_worker');
      await createClazz();
      return () => system.postgres.sql('grant insert on stats.clazz to stats_worker');
    },
  },
  {
    about: 'an event cannot be applied',
    alerts: ['DeadLetters'],
    strike: async () => {
      await poison(system, org, 'bad', "raise exception 'no'");
      await grant(system, org, 'bad');
      return async () => {
        await cure(system);
        await system.tool('cli.ts', 'dead-letters', 'replay', 'stats');
      };
    },
  },
  {
    about: 'two databases call themselves the same',
    alerts: ['TwoLeaders'],
    strike: async () => {
      const [, other] = system.of('course');
      if (other === undefined) throw new Error('There is no second instance');
      const twin = (name: string): string => (other.env[name] ?? '').replace(/\/teaching$/, '/twin');
      const METRICS_PORT = metricsPorts.get(other.name);
      await other.kill();
      other.configure({
        METRICS_PORT,
        DATABASE_URL: twin('DATABASE_URL'),
        WORKER_DATABASE_URL: twin('WORKER_DATABASE_URL'),
      });
      other.start();
      return async () => {
        await other.kill();
        other.configure({ METRICS_PORT });
        other.start();
        await allReady();
      };
    },
  },
  {
    about: 'the database is put back',
    alerts: ['LogWentBack'],
    strike: async () => {
      await system.postgres.copy('older');
      await createClazz();
      await pause(2_000);
      await system.postgres.putBack('older');
      return allReady;
    },
  },
  {
    about: 'the issuer of tokens cannot be asked for an hour',
    alerts: ['IssuerKeysOld'],
    strike: async () => {
      const [gateway] = system.of('gateway');
      const jwks = readFileSync(gateway?.env['JWKS_FILE'] ?? '', 'utf8');
      // It began with the test.
      await poll(async () => (await haveFired(['IssuerKeysOld'])) || undefined, 240_000, 1_000);
      return () => listen(jwks);
    },
  },
];

/** What no process of this system tells, or only in days: their rules are tried by promtool alone. */
const NOT_HERE = [
  'BackupGone',
  'BackupInTrouble',
  'BackupRoomShort',
  'BackupTooOld',
  'CertificateEnds',
  'LogHeldBack',
  'LogNotArchived',
  'StreamFull',
];

describe('every alert', () => {
  it('is about something that is done here', () => {
    expect([...NOT_HERE, ...FAULTS.flatMap(({ alerts }) => alerts)].toSorted()).toEqual(ALERTS.toSorted());
  });

  it.each(FAULTS)('fires: $about', { timeout: FIRES_MS + 300_000 }, async ({ about, alerts, strike }) => {
    told.push(`${after()}  ${about}`);
    // What had fired before does not count, nor what still does.
    if (!alerts.includes('IssuerKeysOld'))
      await poll(async () => isSilent(alerts, await prometheus.firing()) || undefined, FIRES_MS, 500);
    for (const name of alerts) if (name !== 'IssuerKeysOld') seen.delete(name);
    const mend = await strike();
    try {
      const fired = await poll(async () => (await haveFired(alerts)) || undefined, FIRES_MS, 500);
      expect(fired, `${alerts.join(', ')}; these fired: ${[...seen].join(', ')}`).toBe(true);
    } finally {
      await mend();
      told.push(`${after()}  mended`);
    }
  });

  it('falls silent when that is over', { timeout: SILENT_MS + 60_000 }, async () => {
    const left = async (): Promise<readonly string[]> => [...(await prometheus.firing())];
    await poll(async () => (await left()).length === 0 || undefined, SILENT_MS, 500);
    expect(await left()).toEqual([]);
    told.push(`${after()}  silence`);
  });
});
