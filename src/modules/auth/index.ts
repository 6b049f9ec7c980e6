export { AuthModule } from './auth.module';
export { Credentials } from './application/credentials.service';
export { PasswordHasher } from './application/password-hasher';
export { assertPassword } from './domain/password-policy';
export { isAdmin, isOperator, mayActFor, owns, roles } from './domain/principal';
export type { Principal, Role } from './domain/principal';
export { SignInSubjects } from './domain/sign-in-subjects';
export { Caller, IdempotencyKey } from './http/caller';
export type { Repeatable } from './http/caller';
