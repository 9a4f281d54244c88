import { z } from 'zod';
import { Currency, Decimal, HoursInput, ID, Instant, Minor, optional, PersonId, prose, text } from '../scalars.ts';

/** What a teacher may set. Spec part 2; the rest is set by the server. */
export const PackageFields = {
  title: text(200),
  description: optional(prose(10_000)),
  category_id: optional(ID),
  price_minor: optional(Minor),
  currency: optional(Currency),
  total_hours: optional(HoursInput),
  validity_days: optional(z.int().min(1).max(36_500)),
  active: optional(z.boolean()),
};

/** One package as it is listed: everything but the snapshot. */
export const PackageRow = z.object({
  id: ID,
  org_id: ID,
  teacher_id: PersonId,
  title: z.string(),
  description: z.string(),
  category_id: z.string().nullable(),
  price_minor: z.int(),
  currency: z.string(),
  total_hours: Decimal,
  validity_days: z.int().nullable(),
  active: z.boolean(),
  published_at: Instant.nullable(),
  published_version: z.int().nullable(),
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});

export const Item = z.object({
  id: ID,
  package_id: ID,
  course_id: ID,
  course_section_id: z.string().nullable(),
  title: z.string(),
  hours: Decimal,
  position: z.int(),
  note: z.string().nullable(),
});
export type Item = z.infer<typeof Item>;

/** An item as wanted by `sync_items`: with a known `id` it is updated, without it is created. */
export const ItemInput = z.strictObject({
  id: optional(ID),
  course_id: ID,
  course_section_id: optional(ID),
  title: text(200),
  hours: HoursInput,
  note: optional(prose(2_000)),
});
export type ItemInput = z.output<typeof ItemInput>;

/** The part of a package that a snapshot freezes. */
export const SnapshotPackage = PackageRow.pick({
  id: true,
  org_id: true,
  teacher_id: true,
  title: true,
  description: true,
  category_id: true,
  price_minor: true,
  currency: true,
  total_hours: true,
  validity_days: true,
});

/**
 * What was published: package and items, who and when, and the SHA-256 (lower-case hex) of
 * `{package, items}` as canonical JSON (RFC 8785).
 */
export const Snapshot = z.object({
  package: SnapshotPackage,
  items: z.array(Item),
  published_by: PersonId,
  published_at: Instant,
  sha256: z.string(),
});
export type Snapshot = z.infer<typeof Snapshot>;

/** One package in full. */
export const Package = PackageRow.extend({ published_snapshot: Snapshot.nullable() });
export type Package = z.infer<typeof Package>;

const Change = z.object({ field: z.string(), from: z.unknown(), to: z.unknown() });

/** What differs between two published versions. */
export const VersionDiff = z.object({
  from: z.int(),
  to: z.int(),
  fields: z.array(Change),
  items: z.object({
    added: z.array(Item),
    removed: z.array(Item),
    changed: z.array(z.object({ id: ID, title: z.string(), fields: z.array(Change) })),
  }),
});
