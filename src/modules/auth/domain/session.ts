import { DAY_MS } from '../../../kernel/clock';
import { newId } from '../../../kernel/ids';
import { Credential } from './credential';
import { Principal, Role, Standing } from './principal';

/** A session lives this long after its last refresh ... */
const SLIDING_DAYS = 30;
/** ... and never longer than this. */
const ABSOLUTE_DAYS = 90;

const MAX_USER_AGENT_CHARACTERS = 255;

/** Where a login comes from. */
export interface Device {
  readonly ip: string;
  readonly userAgent: string | null;
}

/** A login. Its row alone decides whether a token works, so that ending it works at once, on every replica. */
export class Session {
  readonly id: string;
  readonly userId: string | null;
  readonly openedAccountId: string | null;
  accountId: string | null;
  standing: Standing | null;
  role: Role;
  readonly ip: string;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
  endedAt: Date | null;

  /** A session for all that one password opened. The account's own password goes before a user's tie to another. */
  static open(opened: readonly Credential[], device: Device, now: Date): Session {
    const user = opened.find((credential) => credential.kind === 'user');
    const account = opened.find((credential) => credential.kind === 'account');
    const acting = account ?? user;
    const session: Session = Object.assign(Object.create(Session.prototype) as Session, {
      id: newId('ses', now),
      userId: user?.subjectId ?? null,
      openedAccountId: account?.subjectId ?? null,
      accountId: acting?.accountId ?? null,
      standing: acting?.standing ?? null,
      role: user?.role ?? 'user',
      ip: device.ip,
      userAgent: device.userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS).toWellFormed() ?? null,
      createdAt: now,
      endedAt: null,
    });
    session.use(now);
    return session;
  }

  /** A refresh: the session lives on. */
  use(now: Date): void {
    this.lastUsedAt = now;
    const sliding = now.getTime() + SLIDING_DAYS * DAY_MS;
    const absolute = this.createdAt.getTime() + ABSOLUTE_DAYS * DAY_MS;
    this.expiresAt = new Date(Math.min(sliding, absolute));
  }

  end(now: Date): void {
    this.endedAt = now;
  }

  isLive(now: Date): boolean {
    return this.endedAt === null && now < this.expiresAt;
  }

  principal(): Principal {
    const { id, userId, openedAccountId, accountId, standing, role } = this;
    return {
      sessionId: id,
      userId,
      openedAccountId,
      accountId,
      standing,
      role,
      subjectId: (userId ?? openedAccountId)!,
    };
  }

  /** Whether the same user or the same account's password opened both. */
  isOf(principal: Principal): boolean {
    const sameUser = this.userId !== null && this.userId === principal.userId;
    const sameAccount = this.openedAccountId !== null && this.openedAccountId === principal.openedAccountId;
    return sameUser || sameAccount;
  }
}
