import { auditCalls } from '@teaching/contracts';
import { type Module, routes } from '@teaching/kit';
import { listAuditEntries } from './list-audit-entries.ts';
import { listClazzAuditEntries } from './list-clazz-audit-entries.ts';
import { getAuditLogHead, verifyAuditLog } from './verify-audit-log.ts';
import { measureChains, verifyChains } from './verify-chains.ts';

/** The audit log: every change and read, in one hash chain for each organization. */
export const auditModule: Module = {
  routes: [...routes(auditCalls, { listClazzAuditEntries, listAuditEntries, verifyAuditLog, getAuditLogHead })],
  jobs: [verifyChains],
  metrics: [measureChains],
};
