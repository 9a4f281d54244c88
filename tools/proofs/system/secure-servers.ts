import { chownSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { postgresUser } from '@teaching/local/postgres-user.ts';
import { natsPasswords, type Secrets } from '@teaching/local/secrets.ts';
import { writeBroker } from '../../operators/broker/files.ts';
import type { Authority, IssuedCertificate } from './certificates.ts';
import { createNatsServer } from './nats-server.ts';
import { createPostgresServer, type PostgresServer } from './postgres-server.ts';

/** Writes a file atomically, like the operators' tools, so that no reader sees half of it. */
export const writeAtomic = (path: string, content: string): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, content, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return path;
};

export interface SecurePostgres {
  port: number;
  adminUrl: PostgresServer['adminUrl'];
  sql: PostgresServer['sql'];
  /** Presents another certificate to new connections. `ca`: the authority of client certificates. */
  setCertificate: (issued: IssuedCertificate, ca?: string) => Promise<void>;
  /** Replaces the rules of pg_hba.conf and reloads them. */
  setAccessRules: (...rules: readonly string[]) => Promise<void>;
  stop: () => Promise<void>;
}

/** Writes a file into the data directory of a Postgres, owned by its user. */
const writeToCluster = (cluster: string, name: string, content: string): void => {
  const path = writeAtomic(join(cluster, name), content);
  const user = postgresUser();
  if (user !== undefined) chownSync(path, user.uid, user.gid);
};

/**
 * Enables TLS on a Postgres with this certificate, for new connections. `ca`: the authority of the client
 * certificates.
 */
export const setPostgresCertificate = async (
  { cluster, sql }: Pick<PostgresServer, 'cluster' | 'sql'>,
  { cert, key }: IssuedCertificate,
  ca?: string,
): Promise<void> => {
  writeToCluster(cluster, 'server.crt', cert);
  writeToCluster(cluster, 'server.key', key);
  if (ca !== undefined) writeToCluster(cluster, 'clients.crt', ca);
  await sql(`alter system set ssl_ca_file = '${ca === undefined ? '' : 'clients.crt'}'`);
  await sql('alter system set ssl = on');
  await sql('select pg_reload_conf()');
};

/** Starts a Postgres that accepts network connections with TLS only. */
export const startSecurePostgres = async (dataDir: string, issued: IssuedCertificate): Promise<SecurePostgres> => {
  const server = createPostgresServer(dataDir, 'postgres');
  await server.start();
  const setAccessRules: SecurePostgres['setAccessRules'] = async (...rules) => {
    writeToCluster(server.cluster, 'pg_hba.conf', ['local all all scram-sha-256', ...rules, ''].join('\n'));
    await server.sql('select pg_reload_conf()');
  };
  await setPostgresCertificate(server, issued);
  await setAccessRules('hostssl all all 127.0.0.1/32 scram-sha-256');
  return {
    port: server.target().port,
    adminUrl: server.adminUrl,
    sql: server.sql,
    setCertificate: (other, ca) => setPostgresCertificate(server, other, ca),
    setAccessRules,
    stop: server.stop,
  };
};

export interface SecureNats {
  /** URL with the host name that the certificate contains. */
  url: string;
  port: number;
  /** Folder of its configuration: nats.conf, users.conf, logins.json. */
  folder: string;
  /** Presents another certificate to new connections. `ca`: the authority of client certificates. */
  setCertificate: (issued: IssuedCertificate, ca: string) => void;
  /** Reloads certificates, permissions and logins. */
  reload: () => void;
  stop: () => Promise<void>;
}

export interface SecureNatsOptions {
  dataDir: string;
  secrets: Pick<Secrets, 'nats'>;
  issued: IssuedCertificate;
  authority: Authority;
  /** Whether clients need a certificate. */
  mutual: boolean;
}

/** Starts a broker with the configuration deploy/nats/nats-tls.conf. */
export const startSecureNats = async (options: SecureNatsOptions): Promise<SecureNats> => {
  const { dataDir, secrets, issued, authority, mutual } = options;
  const folder = join(dataDir, 'broker');
  const [cert, key, ca] = ['server.crt', 'server.key', 'clients.crt'].map((name) => join(folder, name));
  const write = (pair: IssuedCertificate, clients: string): void => {
    writeAtomic(cert ?? '', pair.cert);
    writeAtomic(key ?? '', pair.key);
    writeAtomic(ca ?? '', clients);
  };
  write(issued, authority.cert);
  writeBroker(folder);
  const env = {
    ...natsPasswords(secrets),
    NATS_TLS_CERT: JSON.stringify(cert),
    NATS_TLS_KEY: JSON.stringify(key),
    NATS_TLS_CA: JSON.stringify(ca),
    NATS_TLS_VERIFY: String(mutual),
  };
  const server = createNatsServer({ dataDir, config: join(folder, 'nats-tls.conf'), passwords: env });
  await server.start();
  const { port } = server.target();
  return {
    url: `tls://localhost:${port}`,
    port,
    folder,
    setCertificate: (one, clients) => {
      write(one, clients);
      server.reload();
    },
    reload: server.reload,
    stop: server.stop,
  };
};
