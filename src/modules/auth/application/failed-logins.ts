import { Injectable } from '@nestjs/common';
import { clientNetwork } from '../../../kernel/client-network';
import { rateLimited } from '../../../kernel/domain-error';
import { Database, Tx } from '../../../platform/database/database';
import type { EmailLimits } from '../../../platform/database/shared-limit';
import { Credential, CredentialsRepository } from '../domain/credential';
import { SessionsRepository } from '../domain/sessions.repository';

const TOO_MANY = 'Too many failed logins.';

/**
 * Tells owners from strangers: a network is known to the user or the account that opened a session from it, as long as
 * sessions are stored. A user and an account with the same email are apart, because they may belong to strangers.
 */
@Injectable()
export class KnownNetworks {
  constructor(
    private readonly credentials: CredentialsRepository,
    private readonly sessions: SessionsRepository,
  ) {}

  /**
   * Returns those of the users and accounts to whom the network of the address is known.
   * @param tx a transaction to read in; by default none
   */
  async known<Subject extends Pick<Credential, 'subjectId'>>(
    subjects: readonly Subject[],
    address: string,
    tx?: Tx,
  ): Promise<Subject[]> {
    const ids = subjects.map(({ subjectId }) => subjectId);
    const known = new Set(await this.sessions.findOpenedFrom(clientNetwork(address), ids, tx));
    return subjects.filter(({ subjectId }) => known.has(subjectId));
  }

  /**
   * Returns the users and accounts that have the email, and the id of one of them to whom the network of the address is
   * known, or null. It sends the same statement if there is none.
   */
  findByEmail(emailKey: string, address: string): Promise<{ found: Credential[]; ownerId: string | null }> {
    return this.credentials.findWithOwner(emailKey, clientNetwork(address));
  }
}

type Subject = Pick<Credential, 'subjectId'>;

/**
 * Counts failed logins across all replicas, by email and by the network of the client (see `clientNetwork`).
 *
 * The limit of an email counts strangers only: it does not apply to a user or an account in networks that are known to
 * it, so that strangers cannot lock it out. Nor can a single network reach it, because it counts against an email no
 * more than its own limit for that email allows.
 */
export class FailedLogins {
  constructor(
    private readonly knownNetworks: Pick<KnownNetworks, 'known'>,
    private readonly limits: EmailLimits,
    private readonly database: Pick<Database, 'query'>,
  ) {}

  /**
   * Call this before comparing a password, and again before reporting success. The second call denies logins that ran
   * in parallel and all passed the first check.
   * @param email an email key, or the id of a user or an account
   * @param subjects those who have the email, if any
   * @param tx a transaction to read in; by default none
   * @returns the subjects whose passwords may be compared: all, until the limit of the email is reached, and then those
   * to whom the network is known
   * @throws DomainError `rate_limited` when a limit is reached and no subject is left
   */
  async filterAllowed<S extends Subject>(
    email: string,
    address: string,
    subjects: readonly S[],
    tx?: Tx,
  ): Promise<S[]> {
    const network = clientNetwork(address);
    const { ofNetwork, ofEmail } = await this.limits.waitSeconds(email, network, tx ?? this.database);
    if (ofNetwork !== null) throw rateLimited(TOO_MANY, ofNetwork);
    if (ofEmail === null) return [...subjects];
    const known = await this.knownNetworks.known(subjects, address, tx);
    if (known.length === 0) throw rateLimited(TOO_MANY, ofEmail);
    return known;
  }

  /**
   * Counts one failure against each limit in turn and stops at the first limit that is exceeded. Attempts beyond the
   * limit of one network therefore do not count against the email, or anyone could lock out its owner everywhere.
   * @param subjects those whose passwords were compared
   * @throws DomainError `rate_limited` when a limit was reached in the meantime
   */
  async count(email: string, address: string, subjects: readonly Subject[]): Promise<void> {
    const ofNetwork = await this.limits.useNetwork(email, clientNetwork(address));
    if (ofNetwork !== null) throw rateLimited(TOO_MANY, ofNetwork);
    const ofEmail = await this.limits.email.use(email);
    if (ofEmail === null) return;
    const known = await this.knownNetworks.known(subjects, address);
    if (known.length === 0 || known.length < subjects.length) throw rateLimited(TOO_MANY, ofEmail);
  }
}
