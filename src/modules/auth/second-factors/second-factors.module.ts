import { Module } from '@nestjs/common';
import { SecretCipher } from '../../../platform/config/secret-cipher';
import { Secrets, secretsSettings } from '../../../platform/config/secrets.settings';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { AuthModule } from '../auth.module';
import { CredentialListeners } from '../domain/credential-listeners';
import { SecondFactorCheck } from '../domain/second-factor-check';
import { SecondFactorCodes } from './application/second-factor-codes';
import { SecondFactors } from './application/second-factors.service';
import { SecondFactorsRepository } from './domain/second-factors.repository';
import { SecondFactorController } from './http/second-factor.controller';
import { secondFactorSchema } from './infrastructure/second-factor.schema';
import { TypeormSecondFactorsRepository } from './infrastructure/typeorm-second-factors.repository';

/** Authenticator apps and recovery codes of users and accounts. Logins consult it through `SecondFactorCheck`. */
@Module({
  imports: [AuthModule],
  controllers: [SecondFactorController],
  providers: [
    SecondFactors,
    SecondFactorCodes,
    { provide: SecondFactorsRepository, useClass: TypeormSecondFactorsRepository },
    {
      provide: SecretCipher,
      inject: [secretsSettings.token],
      useFactory: (secrets: Secrets) => new SecretCipher(secrets, 'second factor'),
    },
    register(SecondFactorCheck, [SecondFactorCodes, SecondFactorsRepository], (codes, repository) => ({
      name: 'second-factors',
      admit: (...login) => codes.admit(...login),
      confirm: (...check) => codes.confirm(...check),
      remove: (tx, subjectId) => repository.delete(tx, subjectId),
    })),
    register(CredentialListeners, [SecondFactorsRepository], (repository) => ({
      name: 'second-factors',
      takenOver: (tx, { subjectId }) => repository.delete(tx, subjectId),
      deleted: (tx, { subjectId }) => repository.delete(tx, subjectId),
    })),
    register(PeriodicTasks, [SecondFactors], (secondFactors) => ({
      name: 'rotation of second factor secrets',
      run: () => secondFactors.reencrypt(),
    })),
  ],
})
class SecondFactorsModule {}

export const secondFactors: ServiceModule = {
  module: SecondFactorsModule,
  entities: [secondFactorSchema],
};
