import { Injectable } from '@nestjs/common';
import { clientNetwork } from '../../../kernel/client-network';
import { Credential } from '../domain/credential';
import { CredentialsRepository } from '../domain/credentials.repository';
import { SessionsRepository } from '../domain/sessions.repository';

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

  /** Returns those of the users and accounts to whom the network of the address is known. */
  async known<Subject extends Pick<Credential, 'subjectId'>>(
    subjects: readonly Subject[],
    address: string,
  ): Promise<Subject[]> {
    const ids = subjects.map(({ subjectId }) => subjectId);
    const known = new Set(await this.sessions.findOpenedFrom(clientNetwork(address), ids));
    return subjects.filter(({ subjectId }) => known.has(subjectId));
  }

  /**
   * Returns the id of a user or an account that has the email and to whom the network of the address is known, or null.
   * It sends the same statements if there is none.
   */
  async ownerOf(emailKey: string, address: string): Promise<string | null> {
    const [owner] = await this.known(await this.credentials.findByEmail(emailKey), address);
    return owner?.subjectId ?? null;
  }
}
