import { EventSource, FieldsOf, lifecycle, StateOf, timeOfChange } from 'countinghouse';

const LIFETIME_MS = 7 * 24 * 60 * 60 * 1_000;

export const sampleItemLifecycle = lifecycle({
  states: ['active', 'expired', 'canceled'],
  initial: ['active'],
  transitions: {
    expire: { from: ['active'], to: 'expired' },
    cancel: { from: ['active'], to: 'canceled', error: 'not_cancellable' },
  },
});
export type SampleItemStatus = StateOf<typeof sampleItemLifecycle>;

/** A resource of an account. It expires a week after its creation. */
export class SampleItem extends EventSource {
  readonly accountId: string;
  readonly id: string;
  readonly reference: string | null;
  status: SampleItemStatus;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  updatedAt: Date;

  private constructor(fields: FieldsOf<SampleItem>) {
    super();
    Object.assign(this, fields);
  }

  static create(terms: Pick<SampleItem, 'accountId' | 'id' | 'reference'>, at: Date): SampleItem {
    const expiresAt = new Date(at.getTime() + LIFETIME_MS);
    const state = { status: 'active', expiresAt, createdAt: at, updatedAt: at, eventCount: 0 } as const;
    return new SampleItem({ ...terms, ...state }).addEvent('sample_item.created', terms.accountId);
  }

  /** @throws DomainError `not_cancellable` unless it is active */
  cancel(now: Date): void {
    this.status = sampleItemLifecycle.transition('cancel', this.status);
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.addEvent('sample_item.canceled', this.accountId);
  }

  /** @returns whether it has expired now, which it does once */
  expireIfDue(now: Date): boolean {
    if (this.status !== 'active' || now < this.expiresAt) return false;
    this.status = sampleItemLifecycle.transition('expire', this.status);
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.addEvent('sample_item.expired', this.accountId);
    return true;
  }
}
