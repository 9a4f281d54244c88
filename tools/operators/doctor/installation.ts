import type { z } from 'zod';
import type { Env } from '../../../libs/kit/src/index.ts';
import type { ServiceConfig } from '../../../libs/kit/src/ops/instance-parts.ts';
import type { ServiceName } from '../../../libs/contracts/src/registry.ts';
import type { GatewayConfig } from '../../../services/gateway/src/config.ts';
import type { migrateConfig } from '../migrate/config.ts';

export const PROCESSES = ['gateway', 'clazz', 'course', 'package', 'stats', 'migrate'] as const;
export type ProcessName = (typeof PROCESSES)[number];

/** What is examined, and from where. */
export interface Installation {
  /** The environment of each process to examine. */
  processes: ReadonlyMap<ProcessName, Env>;
  /** Whether the processes will run on this machine, so that its ports and disks count. */
  isHere: boolean;
  /** Instances of each service. */
  copies: number;
  /** Folders whose disk must have free space. */
  folders: readonly string[];
  /** Bytes that must be free on each disk. */
  leastFree: number;
  /** The oldest accepted versions: of Postgres the major version, of nats-server major and minor. */
  oldest: { postgres: number; broker: readonly [major: number, minor: number] };
  clock: () => Date;
}

/** A service whose variables are valid. */
export interface ReadService {
  name: ServiceName;
  config: ServiceConfig;
}

/** The processes whose variables are valid; the others are findings. */
export interface Configs {
  gateway: GatewayConfig | undefined;
  services: readonly ReadService[];
  migrate: z.output<typeof migrateConfig> | undefined;
}

/** Versions that services need (docs/adr/0004-versions-of-the-stack.md). */
export const OLDEST: Installation['oldest'] = { postgres: 16, broker: [2, 9] };
