/** Resolves or rejects like `work`, or rejects with `message` after `ms` milliseconds. */
export const withTimeout = <T>(ms: number, message: string, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};
