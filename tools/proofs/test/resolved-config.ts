/** The configuration with the current values of its secrets. */
export const resolvedConfig = (config: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(config).map(([name, value]: [string, unknown]): [string, unknown] => [
      name,
      typeof value === 'function' ? value() : value,
    ]),
  );
