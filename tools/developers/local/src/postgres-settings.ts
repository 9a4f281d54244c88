import type { PostgresFolder } from './postgres-folder.ts';

/** Settings for two cores and a few services with pools; everything else is Postgres' default. */
const SETTINGS: Record<string, string> = {
  max_connections: '200',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '8MB',
  maintenance_work_mem: '128MB',
  // Answered means stored: a write survives a power cut.
  synchronous_commit: 'on',
  wal_compression: 'on',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  random_page_cost: '1.1',
  // A plan that was made while a table was empty serves until autovacuum has looked at it.
  autovacuum_naptime: '5s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_duration_statement: '1s',
};

/** Settings of a cluster that is removed after the test run: it need not survive a power cut. It has many databases. */
const THROWAWAY: Record<string, string> = {
  // Four systems at once, some with several instances.
  max_connections: '400',
  autovacuum_naptime: '1min',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_compression: 'off',
  scram_iterations: '1',
  log_min_duration_statement: '-1',
};

export const serverArguments = (place: PostgresFolder, port: number, throwaway: boolean): string[] => {
  const settings: Record<string, string> = {
    ...SETTINGS,
    ...(throwaway ? THROWAWAY : {}),
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: process.platform === 'win32' ? '' : place.socketDir,
    unix_socket_permissions: '0700',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', place.cluster, ...flags];
};

/**
 * Text sorts by code point, the same on every machine. `lc-ctype` must know Unicode: with plain C,
 * pg_trgm finds no letters in Chinese, and no index serves a keyword search.
 */
const LOCALE = [
  '--encoding=UTF8',
  '--locale=C',
  `--lc-ctype=${process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'}`,
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
];

export const initArguments = (cluster: string, passwordFile: string): string[] => [
  `--pgdata=${cluster}`,
  `--pwfile=${passwordFile}`,
  '--username=postgres',
  '--auth=scram-sha-256',
  '--no-sync',
  ...LOCALE,
];
