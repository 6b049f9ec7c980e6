import { EntitySchema } from 'typeorm';
import { SecondFactor } from '../domain/second-factor';

export const secondFactorSchema = new EntitySchema<SecondFactor>({
  name: 'SecondFactor',
  target: SecondFactor,
  tableName: 'second_factors',
  columns: {
    subjectId: { name: 'subject_id', type: 'text', primary: true, update: false },
    secret: { type: 'text', nullable: true },
    pendingSecret: { name: 'pending_secret', type: 'text', nullable: true },
    confirmedAt: { name: 'confirmed_at', type: 'timestamptz', precision: 3, nullable: true },
    lastStep: { name: 'last_step', type: 'integer', nullable: true },
    recoveryCodes: { name: 'recovery_codes', type: 'text', array: true },
    wrongCodes: { name: 'wrong_codes', type: 'integer' },
    wrongCodesSince: { name: 'wrong_codes_since', type: 'timestamptz', precision: 3, nullable: true },
  },
});
