import { Module, OnModuleInit } from '@nestjs/common';
import { SecretCipher } from '../../../platform/config/secret-cipher';
import { Secrets, secretsSettings } from '../../../platform/config/secrets.settings';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
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
  ],
})
class SecondFactorsModule implements OnModuleInit {
  constructor(
    private readonly check: SecondFactorCheck,
    private readonly credentialListeners: CredentialListeners,
    private readonly codes: SecondFactorCodes,
    private readonly repository: SecondFactorsRepository,
    private readonly secondFactors: SecondFactors,
    private readonly periodicTasks: PeriodicTasks,
  ) {}

  onModuleInit(): void {
    this.check.register({
      name: 'second-factors',
      admit: (...login) => this.codes.admit(...login),
      confirm: (...check) => this.codes.confirm(...check),
      remove: (tx, subjectId) => this.repository.delete(tx, subjectId),
    });
    this.credentialListeners.register({
      name: 'second-factors',
      takenOver: (tx, { subjectId }) => this.repository.delete(tx, subjectId),
      deleted: (tx, { subjectId }) => this.repository.delete(tx, subjectId),
    });
    this.periodicTasks.register({
      name: 'rotation of second factor secrets',
      run: () => this.secondFactors.reencrypt(),
    });
  }
}

export const secondFactors: ServiceModule = {
  module: SecondFactorsModule,
  entities: [secondFactorSchema],
};
