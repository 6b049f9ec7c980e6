import { Module, OnApplicationBootstrap, OnModuleInit } from '@nestjs/common';
import { AuthModule, SignInSubjects } from '../auth';
import { Users } from './application/users.service';
import { AccountAdmission } from './domain/account-admission';
import { UsersRepository } from './domain/users.repository';
import { UsersController } from './http/users.controller';
import { TypeormUsersRepository } from './infrastructure/typeorm-users.repository';

/** People and systems that sign in. */
@Module({
  imports: [AuthModule],
  controllers: [UsersController],
  providers: [Users, AccountAdmission, { provide: UsersRepository, useClass: TypeormUsersRepository }],
  exports: [Users, AccountAdmission],
})
export class UsersModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly subjects: SignInSubjects,
    private readonly users: UsersRepository,
    private readonly admission: AccountAdmission,
  ) {}

  onModuleInit(): void {
    this.subjects.join({
      name: 'user',
      describe: (id) => this.users.find(id),
    });
  }

  onApplicationBootstrap(): void {
    this.admission.freeze();
  }
}
