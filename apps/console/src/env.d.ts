/** Operation id → service, method, path; made by the build from the contracts. */
declare module 'virtual:calls' {
  const table: Readonly<Record<string, readonly [string, string, string]>>;
  export default table;
}
