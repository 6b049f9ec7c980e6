import { Injectable } from '@nestjs/common';
import { EntitySchema, In, Repository } from 'typeorm';
import { Database, Tx, WriteTx } from '../../../platform/database/database';
import { enqueueWrite } from '../../../platform/database/repositories';

/** The user who a person at a provider is. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly userId: string;
  readonly createdAt: Date;
}

export const identitySchema = new EntitySchema<Identity>({
  name: 'Identity',
  tableName: 'identities',
  columns: {
    issuer: { type: 'text', primary: true },
    subject: { type: 'text', primary: true },
    userId: { name: 'user_id', type: 'text' },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3 },
  },
  indices: [{ name: 'identities_user', columns: ['userId'] }],
});

@Injectable()
export class IdentitiesRepository {
  private readonly identities: Repository<Identity>;

  constructor(database: Database) {
    this.identities = database.repository(identitySchema);
  }

  find({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>): Promise<Identity | null> {
    return this.identities.findOneBy({ issuer, subject });
  }

  /** Returns those of the users whom one of the issuers knows. */
  async findKnown(tx: Tx, userIds: readonly string[], issuers: readonly string[]): Promise<string[]> {
    const where = { userId: In(userIds), issuer: In(issuers) };
    return (await tx.repository(identitySchema).findBy(where)).map(({ userId }) => userId);
  }

  add(tx: WriteTx, identity: Identity): void {
    enqueueWrite(tx, this.identities.createQueryBuilder().insert().values(identity));
  }

  deleteOfUser(tx: WriteTx, userId: string): void {
    enqueueWrite(tx, this.identities.createQueryBuilder().delete().where({ userId }));
  }
}
