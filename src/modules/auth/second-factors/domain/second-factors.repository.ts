import type { Tx, WriteTx } from '../../../../platform/database/tx';
import type { SecondFactor } from './second-factor';

export abstract class SecondFactorsRepository {
  abstract find(subjectId: string): Promise<SecondFactor | null>;
  /** Locks the factors of the subjects, in the order of their ids. */
  abstract lock(tx: Tx, subjectIds: readonly string[]): Promise<SecondFactor[]>;
  abstract add(tx: Tx, factor: SecondFactor): void;
  abstract save(tx: Tx, factor: SecondFactor): void;
  abstract delete(tx: WriteTx, subjectId: string): void;
  /** Returns up to `limit` ids of subjects that have a secret encrypted with one of the keys. */
  abstract findEncryptedWith(keyIds: readonly string[], limit: number): Promise<string[]>;
}
