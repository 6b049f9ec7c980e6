export { passwordResets, PasswordResetsModule } from './password-resets.module';
export type { IssuedLink } from './application/password-resets.service';
export { PasswordResets } from './application/password-resets.service';
export { PASSWORD_RESET_MINUTES } from './domain/password-reset';
export { PasswordResetListeners } from './domain/password-reset-listeners';
