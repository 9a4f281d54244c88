/** Path of a nats-server, or undefined. */
export const findNatsServer: () => string | undefined;
