import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import {
  Database,
  IdempotentOperation,
  IdempotentRequest,
  StoredResponse,
} from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { Credentials } from '../domain/credentials';
import { assertPassword, PasswordHasher } from '../domain/passwords';
import { NewEmailLimit, SignUp, SignUpClient, SignUps } from '../domain/sign-ups';

@Injectable()
export class SignUpsService extends SignUps {
  constructor(
    private readonly database: Database,
    private readonly credentials: Credentials,
    private readonly hasher: PasswordHasher,
    private readonly newEmails: NewEmailLimit,
  ) {
    super();
  }

  async create<T extends object>(
    { kind, email, password, name }: SignUp,
    { caller, device }: SignUpClient,
    operation: IdempotentOperation<T>,
    work: (tx: Tx, now: Date, passwordHash: string) => Promise<T>,
  ): Promise<StoredResponse> {
    assertPassword(password, email, name);
    await this.newEmails.use(caller, device);
    if ((await this.credentials.findSubject(kind, email)) !== null) return this.replayOrReject(operation);
    const passwordHash = await this.hasher.hash(password, device.ip);
    return this.database.idempotent(operation, (tx, now) => work(tx, now, passwordHash));
  }

  /** The email may be in use because an earlier request with the same idempotency key has created its user or account. */
  private replayOrReject(request: IdempotentRequest): Promise<StoredResponse> {
    return this.database.idempotent({ ...request, render: (never: never) => never }, async () => {
      throw new DomainError('email_exists', 'This email is already in use.');
    });
  }
}
