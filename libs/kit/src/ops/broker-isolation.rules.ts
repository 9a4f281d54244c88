/**
 * Whether this nats-server keeps clients within their account. Versions before 2.11.15, and 2.12 before 2.12.6, do not
 * (CVE-2025-30215, CVE-2026-33223).
 */
export const isolatesAccounts = (version: string): boolean => {
  const [major = 0, minor = 0, patch = 0] = version.split('-')[0]?.split('.').map(Number) ?? [];
  if (major !== 2 || minor > 12) return major >= 2;
  return (minor === 12 && patch >= 6) || (minor === 11 && patch >= 15);
};
