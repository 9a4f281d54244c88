import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The server writes this file once it listens, so its existence means ready. */
const portsSchema = z.object({ nats: z.array(z.string()).min(1) });

/** The content of a complete ports file. */
export const addressIn = (portsFile: string): string | undefined => {
  if (!existsSync(portsFile)) return undefined;
  const text = readFileSync(portsFile, 'utf8');
  // Seen between its creation and the writing: not ready yet.
  return text.trimEnd().endsWith('}') ? portsSchema.parse(JSON.parse(text)).nats[0] : undefined;
};

/** The address of the server that runs below `dataDir`, if one does. */
export const runningNats = (dataDir: string): string | undefined => {
  const folder = join(dataDir, 'nats');
  if (!existsSync(folder)) return undefined;
  const ports = readdirSync(folder).filter((file) => /^nats-server_\d+\.ports$/.test(file));
  return ports.map((file) => addressIn(join(folder, file))).find((address) => address !== undefined);
};
