import { timeOfChange } from '../../../kernel/clock';
import { IdPrefix, IdSequence, newId, nextId } from '../../../kernel/ids';
import { Refusal } from '../../../kernel/refusal';
import { accountLifecycle, AccountStatus, moveTo, SettableStatus } from './account.lifecycle';

export const accountTypes = ['individual', 'business'] as const;
export type AccountType = (typeof accountTypes)[number];

export interface AccountSettings {
  readonly currency: string;
  readonly timezone: string;
  readonly language: string;
}

const presetSettings: AccountSettings = { currency: 'USD', timezone: 'UTC', language: 'en' };

export interface AccountChange {
  readonly name?: string;
  readonly email?: string;
  readonly settings?: Partial<AccountSettings>;
  readonly status?: SettableStatus;
}

/** An account that holds money for an individual or a business (interface 2.2). All money is in minor units. */
export class Account {
  readonly id: string;
  email: string;
  name: string;
  readonly type: AccountType;
  status: AccountStatus;
  currency: string;
  timezone: string;
  language: string;
  /** What has been settled. */
  posted: number;
  /** What of it is promised to refunds that are under way. */
  held: number;
  /** What is coming in and not settled yet. It never counts as available. */
  pendingIn: number;
  /** How many journal entries the account has, and the hash of the last one. */
  entryCount: number;
  chainHead: Buffer | null;
  /** When and as which number within that millisecond the last id under this account was issued. */
  lastIdAt: Date | null;
  lastIdNumber: number;
  readonly createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;

  static create(
    {
      email,
      name,
      type,
      settings,
    }: Pick<Account, 'email' | 'name' | 'type'> & { settings?: Partial<AccountSettings> },
    now: Date,
  ): Account {
    const fields: Partial<Account> = {
      id: newId('acc', now),
      email,
      name,
      type,
      status: 'active',
      ...presetSettings,
      ...settings,
      posted: 0,
      held: 0,
      pendingIn: 0,
      entryCount: 0,
      chainHead: null,
      lastIdAt: null,
      lastIdNumber: 0,
      createdAt: now,
      updatedAt: now,
      closedAt: null,
    };
    return Object.assign(Object.create(Account.prototype) as Account, fields);
  }

  /** @throws Refusal `conflict` when closed; `invalid_request` for a currency that is fixed by now */
  change({ name, email, settings, status }: AccountChange, now: Date): void {
    if (this.status === 'closed')
      throw new Refusal('conflict', 'The account is closed; it cannot be changed.');
    if (name !== undefined) this.name = name;
    if (email !== undefined) this.email = email;
    if (settings !== undefined) this.changeSettings(settings);
    if (status !== undefined) this.status = accountLifecycle.move(moveTo[status], this.status);
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }

  private changeSettings(settings: Partial<AccountSettings>): void {
    // Whatever counts money in the account's currency has an id issued under the account.
    const inUse = this.lastIdAt !== null;
    if (inUse && settings.currency !== undefined && settings.currency !== this.currency) {
      throw new Refusal(
        'invalid_request',
        `The account has business in ${this.currency}; its currency is fixed.`,
      );
    }
    Object.assign(this, settings);
  }

  /** @throws Refusal `conflict` when it is closed already */
  close(now: Date): void {
    this.status = accountLifecycle.move('close', this.status);
    // Whoever waited for the lock has an older `now` than what was created meanwhile; the end comes after all of it.
    const last = this.lastIdAt !== null && this.lastIdAt > this.updatedAt ? this.lastIdAt : this.updatedAt;
    this.updatedAt = timeOfChange(last, now);
    this.closedAt = this.updatedAt;
  }

  /**
   * Whether money may be asked for or moved, by the account's status.
   * @throws Refusal `forbidden`
   */
  assertOpenFor(business: 'payment' | 'credit' | 'refund', byAdmin: boolean): void {
    const allowed =
      this.status === 'active' ||
      (this.status === 'pending' && business !== 'refund') ||
      // What is left in a closed account is paid out by the back office.
      (this.status === 'closed' && business === 'refund' && byAdmin);
    if (!allowed) throw new Refusal('forbidden', `The account is ${this.status}; it takes no ${business}.`);
  }

  /** The next id under this account and its time. Only while the account is locked; save the account afterwards. */
  issueId(prefix: IdPrefix, now: Date): { id: string; at: Date } {
    const last: IdSequence | null = this.lastIdAt && { issuedAt: this.lastIdAt, number: this.lastIdNumber };
    const { id, sequence } = nextId(prefix, last, now);
    this.lastIdAt = sequence.issuedAt;
    this.lastIdNumber = sequence.number;
    return { id, at: sequence.issuedAt };
  }

  /**
   * The time of something that happens under this account: now, but never before anything that happened already, so
   * that replicas whose clocks differ keep one order. Only while the account is locked; save it afterwards.
   */
  timeOf(now: Date): Date {
    if (this.lastIdAt !== null && now <= this.lastIdAt) return this.lastIdAt;
    this.lastIdAt = now;
    this.lastIdNumber = 0;
    return now;
  }
}
