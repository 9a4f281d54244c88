// Its exit code tells whether the process of this environment is ready. It asks the process by HTTP, and reads
// the variables that the process is configured by. Containers run it every few seconds: it loads nothing.

const PATIENCE_MS = 3_000;

/** The gateway reports it where it serves, a service at its own port. */
const addressIn = (env: NodeJS.ProcessEnv): string => {
  const isGateway = (env['NATS_USER'] || 'gateway') === 'gateway';
  const [host, port] = isGateway
    ? [env['HOST'], env['PORT'] || '8080']
    : [env['HEALTH_HOST'], env['HEALTH_PORT'] || '8081'];
  return `${host && host !== '0.0.0.0' ? host : '127.0.0.1'}:${port}`;
};

/** Why the process is not ready, if it is not. */
export const requestReadiness = async (env: NodeJS.ProcessEnv): Promise<string | undefined> => {
  try {
    const response = await fetch(`http://${addressIn(env)}/health/ready`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return response.ok ? undefined : `not ready: ${response.status} ${await response.text()}`;
  } catch (error) {
    if (!(error instanceof Error)) return String(error);
    return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
  }
};

if (import.meta.main) {
  const wrong = await requestReadiness(process.env);
  if (wrong !== undefined) {
    console.error(wrong);
    process.exitCode = 1;
  }
}
