import type { z } from 'zod';
import type { Env } from '../../../libs/kit/src/index.ts';
import type { ServiceConfig } from '../../../libs/kit/src/ops/parts.ts';
import type { ServiceName } from '../../../libs/contracts/src/registry.ts';
import type { GatewayConfig } from '../../../services/gateway/src/config.ts';
import type { migrateConfig } from '../migrate/config.ts';

export const PROCESSES = ['gateway', 'clazz', 'course', 'package', 'stats', 'migrate'] as const;
export type ProcessName = (typeof PROCESSES)[number];

/** What is looked at, and from where. */
export interface Installation {
  /** The environment of each process that is to be looked at. */
  processes: ReadonlyMap<ProcessName, Env>;
  /** The processes are to run on this machine: its ports and disks are theirs. */
  isHere: boolean;
  /** Copies of each service that run at once. */
  copies: number;
  /** Folders whose disk must have room. */
  folders: readonly string[];
  /** Bytes that must be free on each disk. */
  leastFree: number;
  /** The oldest versions that will do: of Postgres by its major one, of nats-server by both. */
  oldest: { postgres: number; broker: readonly [major: number, minor: number] };
  clock: () => Date;
}

/** A service whose variables could be read. */
export interface ReadService {
  name: ServiceName;
  config: ServiceConfig;
}

/** Every process whose variables could be read; the others are findings. */
export interface Configs {
  gateway: GatewayConfig | undefined;
  services: readonly ReadService[];
  migrate: z.output<typeof migrateConfig> | undefined;
}

/** What services need of their servers (docs/adr/0004-versions-of-the-stack.md). */
export const OLDEST: Installation['oldest'] = { postgres: 16, broker: [2, 9] };
