import { timeOfChange } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { EventSource, type FieldsOf } from '../../../kernel/entity';
import { type IdPrefix, type IdSequence, newId, nextId } from '../../../kernel/ids';
import { MAX_MINOR_UNITS } from '../../../kernel/money';
import type { AuditedMembers } from '../../../platform/audit/audit-trail';
import { accountLifecycle, type AccountStatus, type SettableStatus, transitionTo } from './account.lifecycle';

export const accountTypes = ['individual', 'business'] as const;
export type AccountType = (typeof accountTypes)[number];

export interface AccountSettings {
  readonly currency: string;
  readonly timezone: string;
  readonly language: string;
}

const defaultSettings: AccountSettings = { currency: 'USD', timezone: 'UTC', language: 'en' };

/** By the status that an account gets: the type of the event. */
const statusEventTypes: Readonly<Record<SettableStatus, string>> = {
  active: 'account.activated',
  suspended: 'account.suspended',
  pending: 'account.made_pending',
};

/** Whether money comes into the account or leaves it. */
export type Direction = 'in' | 'out';

/** What is created under an account. A `record` moves no money. */
export type Purpose = 'payment' | 'credit' | 'refund' | 'transfer' | 'record';

export interface AccountChange {
  readonly name?: string;
  readonly email?: string;
  readonly settings?: Partial<AccountSettings>;
  readonly status?: SettableStatus;
}

/** What an account is created with. */
export type AccountTerms = Pick<Account, 'email' | 'name' | 'type'> & {
  readonly settings?: Partial<AccountSettings>;
  readonly signUpNetwork?: string | null;
};

/** An account as others get it, under its lock: its methods change it, but its members cannot be assigned. */
export type LockedAccount = Readonly<Account>;

/** An account of an individual or a business (interface 2.2). All amounts are in minor units. */
export class Account extends EventSource {
  readonly id: string;
  email: string;
  name: string;
  readonly type: AccountType;
  status: AccountStatus;
  currency: string;
  timezone: string;
  language: string;
  /** The settled money: the sum of the account's journal entries. */
  posted: number;
  /** The part of `posted` that is reserved for outgoing money that has not settled. */
  held: number;
  /** Incoming money that has not settled. It does not count as available. */
  pendingIn: number;
  /** How many journal entries the account has, and the hash of the last one. */
  entryCount: number;
  chainHead: Buffer | null;
  /** The last id that was issued under this account: its millisecond, and its number within that millisecond. */
  lastIdAt: Date | null;
  lastIdNumber: number;
  /** The same of the last event. Events do not count as use of the account. */
  lastEventAt: Date | null;
  lastEventNumber: number;
  /** Whether a module delivers the events of the account, which are then put on the feed. */
  deliversEvents: boolean;
  /** The network from which it was signed up (see `signUpNetwork`); null when an operator created it, or if unknown. */
  readonly signUpNetwork: string | null;
  readonly createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;

  private constructor(fields: FieldsOf<Account, 'available'>) {
    super();
    Object.assign(this, fields);
  }

  static create(terms: AccountTerms, now: Date): Account {
    const { email, name, type, settings, signUpNetwork = null } = terms;
    const id = newId('acc', now);
    return new Account({
      id,
      email,
      name,
      type,
      status: 'active',
      ...defaultSettings,
      ...settings,
      posted: 0,
      held: 0,
      pendingIn: 0,
      entryCount: 0,
      chainHead: null,
      lastIdAt: null,
      lastIdNumber: 0,
      lastEventAt: null,
      lastEventNumber: 0,
      deliversEvents: false,
      eventCount: 0,
      signUpNetwork,
      createdAt: now,
      updatedAt: now,
      closedAt: null,
    }).addEvent('account.created', id);
  }

  /** The money that can leave the account. */
  get available(): number {
    return this.posted - this.held;
  }

  /** Whether incoming money leaves the balance below the largest one. */
  hasRoomFor(amount: number): boolean {
    return amount <= MAX_MINOR_UNITS - this.posted - this.pendingIn;
  }

  /**
   * Reserves money that is about to move: incoming money is expected, outgoing money is held.
   * @throws DomainError `insufficient_funds` for more than is available; `invalid_request` beyond the largest balance
   */
  hold(direction: Direction, amount: number): void {
    if (direction === 'in') {
      if (!this.hasRoomFor(amount))
        throw new DomainError('invalid_request', `The balance would exceed ${MAX_MINOR_UNITS} minor units.`);
      this.pendingIn += amount;
      return;
    }
    if (amount > this.available) {
      const figures = `required ${amount}, available ${this.available}, held ${this.held}`;
      throw new DomainError('insufficient_funds', `The balance is too low: ${figures} (minor units).`);
    }
    this.held += amount;
  }

  /** Ends a reservation without moving money. */
  release(direction: Direction, amount: number): void {
    if (direction === 'in') this.pendingIn -= amount;
    else this.held -= amount;
  }

  /** Moves money that is reserved. */
  post(direction: Direction, amount: number): void {
    this.release(direction, amount);
    this.posted += direction === 'in' ? amount : -amount;
  }

  /** Records that entries were appended to the account's journal. */
  extendJournal(entries: number, chainHead: Buffer): void {
    this.entryCount += entries;
    this.chainHead = chainHead;
  }

  /** For changes by its users: while the account is suspended, they may only read. @throws DomainError `forbidden` */
  assertNotSuspended(): void {
    if (this.status === 'suspended')
      throw new DomainError(
        'forbidden',
        'The account is suspended and cannot be changed. Contact the operator.',
      );
  }

  /** @throws DomainError `conflict` when it is closed; `invalid_request` for a currency that is fixed */
  change({ status, ...others }: AccountChange, now: Date): void {
    const { name, email, settings } = others;
    if (this.status === 'closed')
      throw new DomainError('conflict', 'The account is closed and cannot be changed.');
    if (name !== undefined) this.name = name;
    if (email !== undefined) this.email = email;
    if (settings !== undefined) this.changeSettings(settings);
    if (status !== undefined) this.status = accountLifecycle.transition(transitionTo[status], this.status);
    this.updatedAt = timeOfChange(this.updatedAt, now);
    if (status === undefined || Object.values(others).some((value) => value !== undefined))
      this.addEvent('account.updated', this.id);
    if (status !== undefined) this.addEvent(statusEventTypes[status], this.id);
  }

  private changeSettings(settings: Partial<AccountSettings>): void {
    // Everything that counts money in the account's currency has an id that was issued under the account.
    const isInUse = this.lastIdAt !== null;
    if (isInUse && settings.currency !== undefined && settings.currency !== this.currency) {
      throw new DomainError(
        'invalid_request',
        `The account is in use, so its currency (${this.currency}) is fixed.`,
      );
    }
    this.currency = settings.currency ?? this.currency;
    this.timezone = settings.timezone ?? this.timezone;
    this.language = settings.language ?? this.language;
  }

  /** What the audit log shows of changes. */
  audited(): AuditedMembers {
    const { name, email, status, currency, timezone, language } = this;
    const settings = { currency, timezone, language };
    return { name, email, status, settings };
  }

  /** @throws DomainError `conflict` when it is closed already */
  close(now: Date): void {
    this.status = accountLifecycle.transition('close', this.status);
    // While this transaction waited for the lock, others may have issued ids with later times.
    const last = this.lastIdAt !== null && this.lastIdAt > this.updatedAt ? this.lastIdAt : this.updatedAt;
    this.updatedAt = timeOfChange(last, now);
    this.closedAt = this.updatedAt;
    this.addEvent('account.closed', this.id);
  }

  /** Whether the account's status allows a new payment, credit, refund, transfer (as either side) or record. */
  isOpenFor(purpose: Purpose, byAdmin = false): boolean {
    return (
      this.status === 'active' ||
      (this.status === 'pending' && purpose !== 'refund' && purpose !== 'transfer') ||
      // An admin pays out what is left in a closed account.
      (this.status === 'closed' && purpose === 'refund' && byAdmin)
    );
  }

  /** @throws DomainError `forbidden` unless `isOpenFor` */
  assertOpenFor(purpose: Purpose, byAdmin = false): void {
    if (!this.isOpenFor(purpose, byAdmin))
      throw new DomainError('forbidden', `The account is ${this.status} and takes no ${purpose}s.`);
  }

  /**
   * Issues the next id under this account, with its time. Call it only while the account is locked.
   * @param others further locked accounts that list what gets the id: it follows their last ids too
   */
  issueId(prefix: IdPrefix, now: Date, others: readonly LockedAccount[] = []): { id: string; at: Date } {
    const accounts = [this, ...(others as readonly Account[])];
    const last = accounts.map(lastIdOf).reduce(later);
    const { id, sequence } = nextId(prefix, this.id, last, now);
    for (const account of accounts) account.recordLastId(sequence);
    return { id, at: sequence.issuedAt };
  }

  private recordLastId({ issuedAt, number }: IdSequence): void {
    this.lastIdAt = issuedAt;
    this.lastIdNumber = number;
  }

  /** Issues the id of an event under this account, with its time. Call it only while the account is locked. */
  issueEventId(now: Date): { id: string; at: Date } {
    const last: IdSequence | null = this.lastEventAt && {
      issuedAt: this.lastEventAt,
      number: this.lastEventNumber,
    };
    const { id, sequence } = nextId('evt', this.id, last, now);
    this.lastEventAt = sequence.issuedAt;
    this.lastEventNumber = sequence.number;
    return { id, at: sequence.issuedAt };
  }

  /** Switches on or off that the following events are put on the feed. */
  deliverEvents(isWanted: boolean): void {
    this.deliversEvents = isWanted;
  }

  /**
   * Returns the time of a change under this account: `now`, but never before an earlier event, since the clocks of
   * replicas may differ. Call it only while the account is locked.
   */
  timeOf(now: Date): Date {
    if (this.lastIdAt !== null && now <= this.lastIdAt) return this.lastIdAt;
    this.lastIdAt = now;
    this.lastIdNumber = 0;
    return now;
  }
}

function lastIdOf({ lastIdAt, lastIdNumber }: LockedAccount): IdSequence | null {
  return lastIdAt && { issuedAt: lastIdAt, number: lastIdNumber };
}

function later(one: IdSequence | null, other: IdSequence | null): IdSequence | null {
  if (one === null || other === null) return one ?? other;
  const isEarlier =
    one.issuedAt < other.issuedAt || (+one.issuedAt === +other.issuedAt && one.number < other.number);
  return isEarlier ? other : one;
}
