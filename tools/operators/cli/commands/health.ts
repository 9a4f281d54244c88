import { requestReadiness } from '../../../health.ts';
import type { Define } from '../command.ts';

export const define: Define = (command, { env, note, notWell }) => {
  command
    .addHelpText(
      'after',
      `
Asks the process itself, by HTTP, where the variables say that it listens: HOST and PORT of the gateway, HEALTH_HOST and
HEALTH_PORT of a service (NATS_USER says which).

Example:
  NATS_USER=clazz HEALTH_PORT=8081 teaching health`,
    )
    .action(async () => {
      const wrong = await requestReadiness(env);
      if (wrong === undefined) return;
      note(wrong);
      notWell();
    });
};
