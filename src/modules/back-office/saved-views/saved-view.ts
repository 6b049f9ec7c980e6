import type { FieldsOf } from '../../../kernel/entity';
import { newId } from '../../../kernel/ids';

/** The lists of the console that can be filtered. */
export const savedViewPages = [
  'transactions',
  'payments',
  'subscriptions',
  'transfers',
  'unapplied',
  'adjustments',
  'accounts',
  'users',
  'approvals',
  'audit',
  'events',
  'webhooks',
  'deliveries',
  'requests',
] as const;
export type SavedViewPage = (typeof savedViewPages)[number];

/** The values of the filters of a list, by their names in its address. */
export type SavedQuery = Readonly<Record<string, string>>;

/** The filters of a list under a name, of one user or shared with all who work with the console. It never changes. */
export class SavedView {
  /** The user who saved it. */
  readonly ownerId: string;
  readonly id: string;
  readonly page: SavedViewPage;
  /** Unique among the views of the owner and the page. */
  readonly name: string;
  readonly query: SavedQuery;
  readonly isShared: boolean;
  readonly createdAt: Date;

  private constructor(fields: FieldsOf<SavedView>) {
    Object.assign(this, fields);
  }

  static create(fields: Omit<FieldsOf<SavedView>, 'id' | 'createdAt'>, now: Date): SavedView {
    return new SavedView({ ...fields, id: newId('view', now), createdAt: now });
  }
}
