/** Maps an operation id to its service, method and path. The build makes it from the contracts. */
declare module 'virtual:calls' {
  const table: Readonly<Record<string, readonly [string, string, string]>>;
  export default table;
}
