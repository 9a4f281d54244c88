import { z } from 'zod';
import { call, LARGEST_BODY, LONG_BODY } from '../call.ts';
import { Copying } from '../copying.ts';
import { keywordQuery, page, pageQuery, queryInt, sortQuery } from '../page.ts';
import { ALL_ROLES, ID, Instant, Leaving, optional, PersonId, STAFF } from '../scalars.ts';
import {
  Item,
  ItemInput,
  Package,
  PackageFields,
  PackageRow,
  Snapshot,
  SnapshotPackage,
  VersionDiff,
} from './package.schema.ts';

const BASE = '/api/v1/clazz/course-package';
const SORTS = ['title', 'price_minor', 'created_at', 'updated_at', 'published_at'] as const;
const listQuery = { ...keywordQuery, ...sortQuery(SORTS, '-created_at'), ...pageQuery };

/** What a published version promises to whoever buys it. `wanted` is its place in the question. */
const BoughtVersion = SnapshotPackage.pick({
  title: true,
  total_hours: true,
  price_minor: true,
  currency: true,
  validity_days: true,
}).extend({ package_id: ID, version: z.int(), wanted: z.int() });
export type BoughtVersion = z.output<typeof BoughtVersion>;

/** Course packages: spec parts 2 to 4, rules in the docs under "Packages". */
export const packageCalls = {
  create: call({
    id: 'package.package.create',
    http: `POST ${BASE}`,
    summary: 'Create a course package',
    who: STAFF,
    writes: true,
    status: 201,
    max_body: LONG_BODY,
    body: z.strictObject({ ...PackageFields.create, teacher_id: optional(PersonId) }),
    output: Package,
  }),
  get: call({
    id: 'package.package.get',
    http: `GET ${BASE}/{id}`,
    summary: 'Read a course package; students see it while active and published',
    who: ALL_ROLES,
    writes: false,
    path: { id: ID },
    output: Package,
  }),
  copy: call({
    id: 'package.package.copy',
    http: `POST ${BASE}/{id}/copy`,
    summary: "Copy a course package with its items as they are now, as an unpublished one of the caller's own",
    who: STAFF,
    writes: true,
    status: 201,
    path: { id: ID },
    body: Copying,
    output: Package,
  }),
  update: call({
    id: 'package.package.update',
    http: `PATCH ${BASE}/{id}`,
    summary: 'Change an unpublished course package',
    who: STAFF,
    writes: true,
    path: { id: ID },
    max_body: LONG_BODY,
    body: z.strictObject({ ...PackageFields.patch, teacher_id: PersonId.optional() }),
    output: Package,
    errors: ['package_published', 'version_mismatch'],
  }),
  remove: call({
    id: 'package.package.remove',
    http: `DELETE ${BASE}/{id}`,
    summary: 'Delete an unpublished course package that was never sold',
    who: STAFF,
    writes: true,
    status: 204,
    path: { id: ID },
    output: z.null(),
    errors: ['package_published', 'in_use', 'version_mismatch'],
  }),
  listMy: call({
    id: 'package.package.list_my',
    http: `GET ${BASE}/list/my`,
    summary: "The caller's own packages in any state",
    who: STAFF,
    writes: false,
    query: listQuery,
    output: page(PackageRow),
  }),
  listOrg: call({
    id: 'package.package.list_org',
    http: `GET ${BASE}/list/org`,
    summary: 'The active packages of the organization; for students the published ones of them',
    who: ALL_ROLES,
    writes: false,
    query: listQuery,
    output: page(PackageRow),
  }),
  publish: call({
    id: 'package.package.publish',
    http: `POST ${BASE}/publish/{id}`,
    summary: 'Take the snapshot and lock the package',
    who: STAFF,
    writes: true,
    path: { id: ID },
    output: Package,
    errors: ['package_published', 'package_empty', 'package_incomplete', 'version_mismatch'],
  }),
  unpublish: call({
    id: 'package.package.unpublish',
    http: `POST ${BASE}/unpublish/{id}`,
    summary: 'Unlock the package; snapshot and versions stay',
    who: STAFF,
    writes: true,
    path: { id: ID },
    output: Package,
    errors: ['package_not_published', 'version_mismatch'],
  }),
  syncItems: call({
    id: 'package.item.sync',
    http: `POST ${BASE}/item/sync`,
    summary: 'Make the items exactly this list (at most 1,000)',
    who: ['SUPERVISOR'],
    writes: true,
    cost: 5,
    max_body: LARGEST_BODY,
    body: z.strictObject({ package_id: ID, items: z.array(ItemInput).max(1_000) }),
    output: z.object({
      items: z.array(Item),
      created: z.int(),
      updated: z.int(),
      deleted: z.int(),
      unchanged: z.int(),
    }),
    errors: ['package_published', 'version_mismatch'],
  }),
  listItems: call({
    id: 'package.item.list',
    http: `GET ${BASE}/item/list/{package_id}`,
    summary: 'The items of a package by position',
    who: ALL_ROLES,
    writes: false,
    path: { package_id: ID },
    output: page(Item),
  }),
  listVersions: call({
    id: 'package.version.list',
    http: `GET ${BASE}/version/list/{id}`,
    summary: 'The published versions, newest first',
    who: ALL_ROLES,
    writes: false,
    path: { id: ID },
    query: pageQuery,
    output: page(z.object({ number: z.int(), published_at: Instant, published_by: PersonId, sha256: z.string() })),
  }),
  diffVersions: call({
    id: 'package.version.diff',
    http: `GET ${BASE}/version/diff/{id}`,
    summary:
      'What changed from one version to another. Items are known by their ids; only the fewest that must have been moved have another position',
    who: ALL_ROLES,
    writes: false,
    path: { id: ID },
    query: { from: queryInt(1, 1_000_000), to: queryInt(1, 1_000_000) },
    output: VersionDiff,
  }),
  getVersion: call({
    id: 'package.version.get',
    http: `GET ${BASE}/version/{id}/{number}`,
    summary: 'One published version',
    who: ALL_ROLES,
    writes: false,
    path: { id: ID, number: queryInt(1, 1_000_000) },
    output: z.object({ number: z.int(), snapshot: Snapshot, published_at: Instant, published_by: PersonId }),
  }),
  /** Asked by the class service before it grants hours. What is not there is left out. */
  checkVersions: call({
    id: 'package.version.check_many',
    summary: 'Published versions by package and number, or the newest of each',
    who: 'service',
    asked_by: ['clazz'],
    writes: false,
    body: z.strictObject({
      wanted: z.array(z.strictObject({ package_id: ID, version: z.int().min(1).optional() })).max(500),
    }),
    output: z.object({ items: z.array(BoughtVersion), published: z.array(ID), leaving: Leaving }),
  }),
  /** Asked by services that store ids of packages, before they do. */
  checkReferences: call({
    id: 'package.reference.check',
    summary: 'Which of these packages do not exist in the org',
    who: 'service',
    asked_by: ['clazz'],
    writes: false,
    body: z.strictObject({ package_ids: z.array(ID).max(1_000) }),
    output: z.object({ package_ids: z.array(ID), leaving: Leaving }),
  }),
};
