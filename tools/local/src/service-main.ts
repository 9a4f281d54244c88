/**
 * Runs one service in a process of its own: `node service-main.ts <its main.ts>`. Ends when it is
 * told to by SIGTERM, and when the runner that started it is gone, in whatever way.
 */
import { loadService } from './load-service.ts';

/** Open requests get this long to finish. */
const PATIENCE_MS = 3_000;

const start = await loadService(process.argv[2] ?? '');
const starting = start(process.env);

const stop = async (): Promise<void> => {
  setTimeout(() => process.exit(1), PATIENCE_MS).unref();
  const service = await starting;
  await service.stop();
  process.exit(0);
};

// Ctrl-C reaches the whole terminal; the runner stops everything in order.
process.on('SIGINT', () => undefined);
process.once('SIGTERM', () => void stop());
process.once('disconnect', () => void stop());

await starting;
process.send?.('ready');
