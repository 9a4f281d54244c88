import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@teaching/local/ports.ts';
import type { Env } from '@teaching/local/service-env.ts';
import { type BackupProcess, createBackupProcess } from '../../system/backup-process.ts';
import { hasJoinedWithin } from '../../system/instance-health.ts';
import { waitFor, pause } from '../../system/poll.ts';
import { OWN_CHECKOUT, startSystem, type System } from '../../system/start-system.ts';
import { createAuthority } from '../../system/certificates.ts';
import { setPostgresCertificate, writeAtomic } from '../../system/secure-servers.ts';

/** An issuer of tokens that publishes its keys. */
export interface Issuer {
  url: string;
  open: () => Promise<void>;
  close: () => Promise<void>;
}

/** A complete system that Prometheus watches, its backup, and other parts that faults need. */
export interface Stage {
  system: System;
  backup: BackupProcess;
  issuer: Issuer;
  /** Replaces the client certificate of the statistics for Postgres while the services run. `days`: its validity. */
  showCertificate: (days: number) => Promise<void>;
  org: string;
  /** Ports of all processes with metrics. */
  metricsPorts: readonly number[];
  /** Environment that makes an instance publish its metrics. */
  metricsEnv: (name: string) => Env;
  createClazz: () => Promise<void>;
  allReady: () => Promise<void>;
  /** Starts callers that pause after a 503. Returns a function that stops them. */
  callers: (count: number) => () => Promise<void>;
  end: () => Promise<void>;
}

const createIssuer = async (jwks: string): Promise<Issuer> => {
  const port = await freePort();
  let server: Server | undefined;
  return {
    url: `http://127.0.0.1:${port}/`,
    open: async () => {
      const one = createServer((_request, response) =>
        response.setHeader('content-type', 'application/json').end(jwks),
      );
      server = one;
      await new Promise<void>((done) => one.listen(port, '127.0.0.1', done));
    },
    close: async () => {
      const one = server;
      server = undefined;
      one?.closeAllConnections();
      await new Promise((done) => (one === undefined ? done(undefined) : one.close(done)));
    },
  };
};

/** Enables TLS in Postgres and returns URLs and certificates for clients that use it. */
const createCertificates = async ({ postgres }: System, folder: string) => {
  const authority = await createAuthority('Postgres');
  const shown = await authority.issue({ names: ['127.0.0.1'] });
  await setPostgresCertificate(postgres, shown, authority.cert);
  const file = (name: string): string => join(folder, name);
  writeAtomic(file('ca.crt'), authority.cert);
  const show = async (days: number): Promise<void> => {
    const { cert, key } = await authority.issue({ names: ['stats'], days });
    writeAtomic(file('own.key'), key);
    writeAtomic(file('own.crt'), cert);
  };
  const files = { sslrootcert: 'ca.crt', sslcert: 'own.crt', sslkey: 'own.key' };
  const byTls = (url = ''): string => {
    const names = Object.entries(files).map(([name, path]) => `${name}=${encodeURIComponent(file(path))}`);
    return `${url}?sslmode=verify-full&${names.join('&')}`;
  };
  return { show, byTls };
};

/** Creates a second database that looks like the first, as when a copy of the system was not shut down. */
const makeTwin = async ({ postgres }: System): Promise<void> => {
  await postgres.sql(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = 'teaching' and pid <> pg_backend_pid()`);
  await postgres.sql('create database twin template teaching');
};

export const startStage = async (): Promise<Stage> => {
  const folder = mkdtempSync(join(tmpdir(), 'teaching-alerts-'));
  chmodSync(folder, 0o711);
  const system = await startSystem({
    checkout: OWN_CHECKOUT,
    instances: { course: 2 },
    env: { CONCURRENCY: '4', JWKS_REFRESH_SECONDS: '1', JWKS_MAX_STALE: '86400' },
  });
  const [gateway] = system.instancesOf('gateway');
  const issuer = await createIssuer(readFileSync(gateway?.env['JWKS_FILE'] ?? '', 'utf8'));
  await issuer.open();
  await Promise.all(system.instances.map((one) => one.kill()));
  await makeTwin(system);
  const backup = await createBackupProcess(system.postgres);
  backup.start({ archive: 'first' });
  const { show, byTls } = await createCertificates(system, folder);
  await show(20);

  const ports = new Map<string, number>();
  for (const one of system.instances) ports.set(one.name, await freePort());
  const metricsEnv = (name: string): Env => ({ METRICS_PORT: String(ports.get(name)) });
  for (const one of system.instances) {
    const { DATABASE_URL, WORKER_DATABASE_URL } = one.env;
    const keys = { JWKS_FILE: '', JWKS_URL: issuer.url };
    const secure = { DATABASE_URL: byTls(DATABASE_URL), WORKER_DATABASE_URL: byTls(WORKER_DATABASE_URL) };
    one.configure({
      ...metricsEnv(one.name),
      ...(one.service === 'gateway' ? keys : {}),
      ...(one.service === 'stats' ? secure : {}),
    });
    one.start();
  }

  const org = randomUUID();
  const allReady = async (): Promise<void> => {
    const missing = await Promise.all(
      system.instances.map(async (one) => ((await hasJoinedWithin(one, 90_000)) ? [] : [one.name])),
    );
    if (missing.flat().length > 0) throw new Error(`${missing.flat().join(', ')} did not join`);
    await waitFor('the system is ready', system.allReady, 60_000);
  };
  const stage: Stage = {
    system,
    backup,
    issuer,
    showCertificate: show,
    org,
    metricsPorts: [...ports.values(), backup.port],
    metricsEnv,
    createClazz: async () => {
      const body = { name: randomUUID(), lead_teacher_id: 'lee' };
      const done = async () => (await system.api({ method: 'POST', path: '/clazz', org, body })).status === 201;
      await waitFor('a class is created', done, 30_000);
    },
    allReady,
    callers: (count) => {
      const stopping = new AbortController();
      let sent = 0;
      const ask = async (): Promise<void> => {
        while (!stopping.signal.aborted) {
          // A new keyword each time, because a repeated page is cached and does not need the locked table.
          const path = `/clazz/course-package/list/my?limit=1&keyword=${(sent += 1)}`;
          const { status } = await system.api({ path, org, as: 'TEACHER', sub: 'ada' });
          await pause(status === 503 ? 5_000 : 500);
        }
      };
      const running = Array.from({ length: count }, ask);
      return async () => {
        stopping.abort();
        await Promise.all(running);
      };
    },
    end: async () => {
      await backup.end();
      await system.end();
      await issuer.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await allReady();
    return stage;
  } catch (error) {
    await stage.end();
    throw error;
  }
};
