import { connect } from '@nats-io/transport-node';

// Says by its exit code whether the process of this environment is healthy: the gateway by HTTP, a service by
// its own NATS user. It reads the variables the process itself is configured by.

const PATIENCE_MS = 3_000;

const gatewayIsReady = async (port: string): Promise<void> => {
  const response = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!response.ok) throw new Error(`not ready: ${response.status} ${await response.text()}`);
};

/** Any instance of the service may answer: it says that the service is served. */
const serviceAnswers = async (service: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const nc = await connect({
    servers: (env['NATS_URL'] ?? '').split(','),
    user: service,
    pass: env['NATS_PASSWORD'] ?? '',
    name: `${service} health`,
    inboxPrefix: `_INBOX_${service}`,
    timeout: PATIENCE_MS,
    reconnect: false,
  });
  try {
    await nc.request(`call.${service}.health`, '', { timeout: PATIENCE_MS });
  } finally {
    await nc.close();
  }
};

const check = (env: NodeJS.ProcessEnv): Promise<void> => {
  const user = env['NATS_USER'] ?? 'gateway';
  return user === 'gateway' ? gatewayIsReady(env['PORT'] || '8080') : serviceAnswers(user, env);
};

check(process.env).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
