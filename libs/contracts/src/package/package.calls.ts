import { z } from 'zod';
import { call, LARGEST_BODY, LONG_BODY } from '../call.ts';
import { CopyBody } from '../copy-body.ts';
import { keywordQuery, page, pageQuery, queryInt, sortQuery } from '../page.ts';
import { ALL_ROLES, ID, Instant, IdsBeingDeleted, optional, PersonId, PersonIdInput, STAFF } from '../scalars.ts';
import { distinct } from '../rules.ts';
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

/** The terms of a published version for a grant. `wanted` is the index in the request. */
const BoughtVersion = SnapshotPackage.pick({
  title: true,
  total_hours: true,
  price_minor: true,
  currency: true,
  validity_days: true,
}).extend({ package_id: ID, version: z.int(), wanted: z.int() });
export type BoughtVersion = z.output<typeof BoughtVersion>;

/** Course packages (rules, part 2). */
export const packageCalls = {
  createPackage: call({
    id: 'package.package.create',
    http: `POST ${BASE}`,
    summary: 'Create a course package',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    status: 201,
    max_body: LONG_BODY,
    body: z.strictObject({ ...PackageFields.create, teacher_id: optional(PersonIdInput) }),
    output: Package,
  }),
  getPackage: call({
    id: 'package.package.get',
    http: `GET ${BASE}/{id}`,
    summary: 'Read a course package. Students read it while it is active and published',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'offered' },
    writes: false,
    path: { id: ID },
    output: Package,
  }),
  copyPackage: call({
    id: 'package.package.copy',
    http: `POST ${BASE}/{id}/copy`,
    summary: 'Copy a course package with its current items. The copy is unpublished and belongs to the caller',
    roles: STAFF,
    access: 'all',
    writes: true,
    status: 201,
    path: { id: ID },
    body: CopyBody,
    output: Package,
  }),
  updatePackage: call({
    id: 'package.package.update',
    http: `PATCH ${BASE}/{id}`,
    summary: 'Update an unpublished course package',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    path: { id: ID },
    max_body: LONG_BODY,
    body: z.strictObject({ ...PackageFields.patch, teacher_id: PersonIdInput.optional() }),
    output: Package,
    errors: ['package_published', 'version_mismatch'],
  }),
  deletePackage: call({
    id: 'package.package.remove',
    http: `DELETE ${BASE}/{id}`,
    summary: 'Delete a course package. It must be unpublished, and no class or grant may refer to it',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    status: 204,
    path: { id: ID },
    output: z.null(),
    errors: ['package_published', 'in_use', 'version_mismatch'],
  }),
  listMyPackages: call({
    id: 'package.package.list_my',
    http: `GET ${BASE}/list/my`,
    summary: 'List the own packages of the caller in any state',
    roles: STAFF,
    access: 'self',
    writes: false,
    query: listQuery,
    output: page(PackageRow),
  }),
  listPackages: call({
    id: 'package.package.list_org',
    http: `GET ${BASE}/list/org`,
    summary: 'List the active packages of the organization. Students see only published ones',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'offered' },
    writes: false,
    query: listQuery,
    output: page(PackageRow),
  }),
  publishPackage: call({
    id: 'package.package.publish',
    http: `POST ${BASE}/publish/{id}`,
    summary: 'Publish a package. A snapshot is stored as a new version, and the package is locked',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    path: { id: ID },
    output: Package,
    errors: ['package_published', 'package_empty', 'package_incomplete', 'version_mismatch'],
  }),
  unpublishPackage: call({
    id: 'package.package.unpublish',
    http: `POST ${BASE}/unpublish/{id}`,
    summary: 'Unpublish a package to change it. Snapshot and versions stay',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    path: { id: ID },
    output: Package,
    errors: ['package_not_published', 'version_mismatch'],
  }),
  syncPackageItems: call({
    id: 'package.item.sync',
    http: `POST ${BASE}/item/sync`,
    summary: 'Replace the items of a package. The list has at most 1,000 items',
    roles: ['SUPERVISOR'],
    writes: true,
    cost: 5,
    max_body: LARGEST_BODY,
    body: z.strictObject({
      package_id: ID,
      items: z
        .array(ItemInput)
        .max(1_000)
        .check(distinct(({ id }) => id, ['id'])),
    }),
    output: z.object({
      items: z.array(Item),
      created: z.int(),
      updated: z.int(),
      deleted: z.int(),
      unchanged: z.int(),
    }),
    errors: ['package_published', 'version_mismatch'],
  }),
  listPackageItems: call({
    id: 'package.item.list',
    http: `GET ${BASE}/item/list/{package_id}`,
    summary: 'List the items of a package by position',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'offered' },
    writes: false,
    path: { package_id: ID },
    output: page(Item),
  }),
  listPackageVersions: call({
    id: 'package.version.list',
    http: `GET ${BASE}/version/list/{id}`,
    summary: 'List the published versions of a package, newest first',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'offered' },
    writes: false,
    path: { id: ID },
    query: pageQuery,
    output: page(z.object({ number: z.int(), published_at: Instant, published_by: PersonId, sha256: z.string() })),
  }),
  comparePackageVersions: call({
    id: 'package.version.diff',
    http: `GET ${BASE}/version/diff/{id}`,
    summary:
      'Compare two versions of a package. Items are compared by id, and only items that must have been moved have a new position',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'offered' },
    writes: false,
    path: { id: ID },
    query: { from: queryInt(1, 1_000_000), to: queryInt(1, 1_000_000) },
    output: VersionDiff,
  }),
  getPackageVersion: call({
    id: 'package.version.get',
    http: `GET ${BASE}/version/{id}/{number}`,
    summary: 'Read a published version',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'offered' },
    writes: false,
    path: { id: ID, number: queryInt(1, 1_000_000) },
    output: z.object({ number: z.int(), snapshot: Snapshot, published_at: Instant, published_by: PersonId }),
  }),
  /** The class service checks versions before it grants hours. Versions that do not exist are omitted. */
  checkVersions: call({
    id: 'package.version.check_many',
    summary: 'Read published versions by package and number, or the latest version of each package',
    roles: 'service',
    called_by: ['clazz'],
    writes: false,
    body: z.strictObject({
      wanted: z.array(z.strictObject({ package_id: ID, version: z.int().min(1).optional() })).max(500),
    }),
    output: z.object({ items: z.array(BoughtVersion), published: z.array(ID), leaving: IdsBeingDeleted }),
  }),
  /** For services that store ids of packages, before they store them. */
  checkReferences: call({
    id: 'package.reference.check',
    summary: 'Find the packages of a list that do not exist in the organization',
    roles: 'service',
    called_by: ['clazz'],
    writes: false,
    body: z.strictObject({ package_ids: z.array(ID).max(1_000) }),
    output: z.object({ package_ids: z.array(ID), leaving: IdsBeingDeleted }),
  }),
};
