import { Inject, Injectable } from '@nestjs/common';
import { isEmail } from 'class-validator';
import { DomainError } from '../../../kernel/domain-error';
import { emailKey, isUnambiguousEmail } from '../../../kernel/text';
import { Actor, anonymousActor, AuditTrail, Device, systemActor } from '../../../platform/audit/audit-trail';
import { Database, Tx } from '../../../platform/database/database';
import { EmailProofs } from '../application/email-proofs';
import { Credential, CredentialsRepository } from '../domain/credential';
import { Credentials } from '../domain/credentials';
import { PasswordHasher } from '../domain/passwords';
import { isBackOffice } from '../domain/principal';
import { newToken } from '../domain/secret-tokens';
import { IdentitiesRepository } from './identities.repository';
import { ProvidedIdentity, ProvidedRole, ProvidedUsers, roleOf } from './single-sign-on';
import { ProviderSettings, singleSignOnSettings, SingleSignOnSettings } from './single-sign-on.settings';

/** A person who has signed in at a provider. */
export interface ProvidedPerson {
  readonly provider: ProviderSettings;
  readonly identity: ProvidedIdentity;
  readonly device: Device;
}

/** The users of the persons who sign in through providers. */
@Injectable()
export class IdentityUsers {
  constructor(
    private readonly database: Database,
    private readonly identities: IdentitiesRepository,
    private readonly users: ProvidedUsers,
    private readonly repository: CredentialsRepository,
    private readonly credentials: Credentials,
    private readonly proofs: EmailProofs,
    private readonly hasher: PasswordHasher,
    private readonly audit: AuditTrail,
    @Inject(singleSignOnSettings.token) private readonly settings: SingleSignOnSettings,
  ) {}

  /**
   * Creates the user of a person who is new, and sets the role that the groups give. The user is found by issuer and
   * subject, never by the email alone, which others can have had before.
   * @returns the id of the user
   * @throws DomainError `forbidden` when no group gives a role, and the user's role and sessions have ended; `conflict`
   * without an email; `email_exists` when another user has it
   */
  async prepare(person: ProvidedPerson): Promise<string> {
    const { provider, identity } = person;
    const known = (await this.identities.find(identity))?.userId ?? null;
    const role = roleOf(identity.groups, provider);
    if (role === null) return this.reject(person, known);
    if (known === null) return this.add(person, role);
    await this.database.transaction(async (tx, now) => {
      const hasChanged = await this.users.get('users').setRole(tx, actorOf(person), known, role, now);
      // Others may have opened them, with a password that the user had in another role.
      if (hasChanged) await this.credentials.endOwnSessions(tx, known, now);
    });
    return known;
  }

  private async reject(person: ProvidedPerson, userId: string | null): Promise<never> {
    await this.database.transaction(async (tx, now) => {
      if (userId !== null) {
        await this.users.get('users').setRole(tx, actorOf(person), userId, null, now);
        await this.credentials.endOwnSessions(tx, userId, now);
      }
      this.recordRefusal(tx, person, userId, 'no_group');
    });
    throw new DomainError('forbidden', 'None of your groups at the provider gives access to the console.');
  }

  /** Adds the identity to the user who has the email, or to a new one. */
  private async add(person: ProvidedPerson, role: ProvidedRole): Promise<string> {
    const { email, name } = person.identity;
    if (email === null || !isEmail(email) || !isUnambiguousEmail(email))
      throw new DomainError('conflict', 'The provider has no email of yours that can be used here.');
    const found = await this.repository.findByEmail(emailKey(email));
    const holder = found.find(({ kind }) => kind === 'user');
    if (holder !== undefined) return this.link(person, role, holder);
    const password = newToken(); // nobody knows it
    const passwordHash = await this.hasher.hash(password, person.device.ip);
    return this.database.transaction(async (tx, now) => {
      const user = { email, name, role, passwordHash };
      const id = this.users.get('users').create(tx, actorOf(person), user, now);
      this.addIdentity(tx, person, id, now);
      return id;
    });
  }

  private async link(
    person: ProvidedPerson,
    role: ProvidedRole,
    { subjectId: id, emailKey: key }: Credential,
  ): Promise<string> {
    const isLinked = await this.database.transaction(async (tx, now) => {
      const holder = await this.proofs.lock(tx, { kind: 'user', id });
      if (holder?.emailKey === key && (await this.mayLink(tx, person, holder))) {
        this.addIdentity(tx, person, id, now);
        await this.credentials.endOwnSessions(tx, id, now); // of those who know the password, which works no more
        await this.users.get('users').setRole(tx, actorOf(person), id, role, now);
        return true;
      }
      this.recordRefusal(tx, person, id, 'email_exists');
      return false;
    });
    if (isLinked) return id;
    throw new DomainError(
      'email_exists',
      'Your email belongs to a user who does not sign in this way. Ask an admin.',
    );
  }

  /**
   * Only where the settings say so, since then the provider decides who an existing user is. Never a user of another role:
   * a stranger can sign up with any email. Never one who has taken the email without a proof that it is theirs. Never one
   * whom the provider knows as somebody else: the email was passed on.
   */
  private async mayLink(
    tx: Tx,
    { provider, identity }: ProvidedPerson,
    holder: Credential,
  ): Promise<boolean> {
    if (!provider.linkByEmail || !identity.isEmailVerified || !isBackOffice(holder)) return false;
    if (holder.emailVerifiedAt === null && holder.loginChanges.email?.by === 'self') return false;
    if (holder.emailKey === this.settings.emergencyEmailKey) return false;
    return (await this.identities.findKnown(tx, [holder.subjectId], [provider.issuer])).length === 0;
  }

  private addIdentity(tx: Tx, person: ProvidedPerson, userId: string, now: Date): void {
    const { provider, identity } = person;
    const { issuer, subject } = identity;
    this.identities.add(tx, { issuer, subject, userId, createdAt: now });
    const details = { provider: provider.name };
    this.audit.record(tx, actorOf(person), { action: 'user.link_identity', objectId: userId, details });
  }

  private recordRefusal(tx: Tx, person: ProvidedPerson, objectId: string | null, cause: string): void {
    const details = { provider: person.provider.name, cause };
    const event = { action: 'login', objectId, outcome: 'refused', details } as const;
    this.audit.record(tx, anonymousActor(person.device), event);
  }
}

/** The service acts as the provider says: the person asks for a sign-in, and for no role. */
function actorOf({ device }: ProvidedPerson): Actor {
  return { ...systemActor, device };
}
