/** Path of the nats-server that a suite of Debian has. Throws, and says why, where it cannot be had. */
export const natsServerOfSuite: (suite: string) => Promise<string>;
