import { z } from 'zod';
import { fields } from '../fields.ts';
import { Currency, Decimal, HoursInput, ID, Instant, Minor, optional, PersonId, prose, text } from '../scalars.ts';

/** The fields of a package that clients set. The server sets the others. */
export const PackageFields = fields({
  title: { input: text(200), output: z.string() },
  description: { input: prose(10_000), output: z.string(), default: '' },
  category_id: { input: ID, output: z.string().nullable(), default: null },
  price_minor: { input: Minor, output: z.int(), default: 0 },
  /** Currency of the price. Default: that of the policy, else required. `null` without a price. */
  currency: { input: Currency, output: z.string().nullable(), default: null },
  total_hours: { input: HoursInput, output: Decimal, default: '0.00' },
  validity_days: { input: z.int().min(1).max(36_500), output: z.int().nullable(), default: null },
  active: { input: z.boolean(), output: z.boolean(), default: true },
});

/** A package in lists: all fields except the snapshot. */
export const PackageRow = z.object({
  id: ID,
  org_id: ID,
  teacher_id: PersonId,
  ...PackageFields.output,
  published_at: Instant.nullable(),
  published_version: z.int().nullable(),
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});

/** A package in version 1 of its events: `currency` is always set. */
export const PackageRowWithCurrency = PackageRow.extend({ currency: z.string() });

/** The fields of an item. Its position is its index in the list. */
export const ItemFields = fields({
  course_id: { input: ID, output: ID },
  course_section_id: { input: ID, output: z.string().nullable(), default: null },
  title: { input: text(200), output: z.string() },
  hours: { input: HoursInput, output: Decimal },
  note: { input: prose(2_000), output: z.string().nullable(), default: null },
});

const { note, ...itemOutput } = ItemFields.output;
export const Item = z.object({ id: ID, package_id: ID, ...itemOutput, position: z.int(), note });
export type Item = z.infer<typeof Item>;

/** An item in a sync: with a known `id` it is updated, without `id` it is created. */
export const ItemInput = z.strictObject({ id: optional(ID), ...ItemFields.create });
export type ItemInput = z.output<typeof ItemInput>;

/** The fields of a package in a snapshot. */
export const SnapshotPackage = PackageRow.omit({
  active: true,
  published_at: true,
  published_version: true,
  version: true,
  created_at: true,
  updated_at: true,
});

/**
 * A published state: package and items, publisher and time, and the SHA-256 (lower-case hex) of `{package, items}` as
 * canonical JSON (RFC 8785).
 */
export const Snapshot = z.object({
  package: SnapshotPackage,
  items: z.array(Item),
  published_by: PersonId,
  published_at: Instant,
  sha256: z.string(),
});
export type Snapshot = z.infer<typeof Snapshot>;

/** A package with its latest snapshot. */
export const Package = PackageRow.extend({ published_snapshot: Snapshot.nullable() });
export type Package = z.infer<typeof Package>;

const Change = z.object({ field: z.string(), from: z.unknown(), to: z.unknown() });

/** The differences between two published versions. */
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
