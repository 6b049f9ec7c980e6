export { UsersModule } from './users.module';
export { Users } from './application/users.service';
export { AccountAdmission } from './domain/account-admission';
