export { type Bus, connectBus } from './rpc/message-bus.ts';
export { sendCall } from './rpc/call-service.ts';
export { type ClockSkew, reportedSkews } from './rpc/clock-skew.ts';
export { type CallHead, decodeReply, encodeFrame, type ReplyHead } from './rpc/frame.ts';
export { type CallerSigner, createCallerSigner, type Identity } from './rpc/call-identity.ts';
export { createRequester, type Requester } from './rpc/requester.ts';
export { joinInstanceGroup, type InstanceGroup } from './rpc/instance-group.ts';
export { ALL_PEERS } from './rpc/subjects.ts';
export { type HintReceiver, receiveHints } from './rpc/receive-hints.ts';
export { systemCaller, callService } from './rpc/call-service.ts';
export { AnswerCache, type CachedAnswer, type ComputedAnswer, type StateReader } from './rpc/answer-cache.ts';
export { type Page, pagedList } from './rpc/paged-list.ts';
export { AccessFilter, type RelatedPeople } from './rpc/access-filter.ts';
export { idsBeingDeleted, type OwnerAnswer } from './rpc/peer-references.ts';
export { requireUnused, type ReferenceCount } from './rpc/announced-deletion.ts';
export { requireVersion, newRecord, saveChanged, nextVersion } from './rpc/record-versions.ts';
export { type Handler, twoStepHandler, Reply, type Route, routes, SerializedAnswer } from './rpc/handler.ts';
export { type Caller, type EventPublisher, isStaff, isSupervisor, Session } from './rpc/session.ts';
export { type BusAddress, connectOnce } from './rpc/bus-login.ts';
export { adminAddress, adminConfig, oneBrokerLogin } from './ops/broker-variables.ts';
export { secretVariable } from './ops/secret-variable.ts';
export { busConfig, ConfigError, type Env, readConfig } from './ops/config.ts';
export { httpUrl, oneOf, passwords, port, privateKey, text, textLike, wholeNumber, yesOrNo } from './ops/variables.ts';
export { databaseFault } from './db/database-fault.ts';
export { problemOf } from './rpc/handler.ts';
export { type ConstraintProblems, withConstraintProblems } from './db/constraint-errors.ts';
export { BOUND_ORG } from './db/bound-organization.ts';
export { computedMigration, migration, type MigrationEntry, stepwise } from './db/migration.ts';
export { tenantTable } from './db/schema.ts';
export { repeatableStatement, batchedUpdate, concurrentIndex, ROW_RANGE } from './db/migration-steps.ts';
export {
  notNull,
  bigint,
  type Column,
  hundredths,
  instant,
  voidResult,
  nullableColumns,
  p,
  period,
  type RowOf,
  type Shape,
  texts,
  typeOf,
  unionColumns,
  uuids,
} from './db/columns.ts';
export {
  equalsAnyOf,
  REQUEST_CLOCK,
  type Condition,
  containsKeyword,
  fieldFilters,
  indexedDefault,
} from './db/keyset-list.ts';
export { nameColumns, nameListColumns } from './db/member-name-columns.ts';
export { ORGANIZATION_END } from './db/organization-deletion.ts';
export { type Statement, statement } from './db/statement.ts';
export { type Row, type Table, table, type StoredRow } from './db/table.ts';
export { type ReadBatch, type StoreBatch } from './log/applier.ts';
export { type FollowerDefinition, type LostRange } from './log/follower.ts';
export { beginGeneration, generationFollower } from './log/generations.ts';
export { streamName } from './log/stream.ts';
export { sequenceOf } from './log/offset.ts';
export { eventsOf, type ReceivedEvent } from './log/received-event.ts';
export { GENERATION } from './log/follower.table.ts';
export { appendOnlyLog, restrictLog } from './log/log-permissions.ts';
export { logState, logStateReader } from './log/log-state.ts';
export { analyzeLate } from './db/late-analyze.ts';
export { numberedLog } from './log/numbered-log.ts';
export { logTimeline } from './log/timeline.ts';
export { type RunInTransaction, type WorkerTransaction } from './log/worker-transaction.ts';
export { csvWriter } from './base/csv.ts';
export { newId } from './base/ids.ts';
export { kindOfSecretLink, orgOfSecretLink } from './base/secret-link.ts';
export { createSigner, liveSigner, type Signer } from './base/signer.ts';
export { derivedValue, fixedValue, type LiveValue } from './base/live-value.ts';
export { isSameName, uniqueKey } from './base/unique-name.ts';
export { wait } from './base/wait.ts';
export { type RunInOrganization } from './rpc/transactions.ts';
export { type Job, type Sweep, sweepOf } from './ops/jobs.ts';
export { type MetricSource } from './ops/instance-metrics.ts';
export { withListenError } from './ops/listen-error.ts';
export { runAsProgram, STOP_MS } from './ops/program.ts';
export { type App, type Module } from './ops/app.ts';
export { observeBus, observeClocks } from './ops/dependency-metrics.ts';
export { brokerSubjects } from './ops/broker-subjects.ts';
export { type Overrides, type Running, type RunningService, startService } from './ops/start-service.ts';
export { createLogger, type Logger } from './telemetry/log.ts';
export { record, observeGauges } from './telemetry/metrics.ts';
export { startTelemetry } from './telemetry/sdk.ts';
export { FailureLog } from './telemetry/failure-log.ts';
export { withSpan, activeTraceId, traceId, traceparent } from './telemetry/trace.ts';
export { recurrenceDays } from './base/recurrence.ts';
export * from './base/time.ts';
